/* published.c - the families, the models, and how a config.json is read. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "heart/fail.h"
#include "models/json.h"
#include "models/published.h"

/* What a config.json or a row of the table says. */
typedef struct Widths {
    int layers, d_model, heads, groups, head; /* groups: of keys and values */
    int window;                               /* 0: all tokens */
    int latent, query_latent, rope, value;
    int encoders; /* so many of the layers cache nothing */
} Widths;

/* clang-format off */
#define PROJECTIONS(of) {of "q_proj", of "k_proj", of "v_proj", of "o_proj"}
#define LLAMA PROJECTIONS("layers.#.self_attn.")
#define BERT {"encoder.layer.#.attention.self.query", "encoder.layer.#.attention.self.key", \
              "encoder.layer.#.attention.self.value", "encoder.layer.#.attention.output.dense"}
#define ALL_IN(q, o) {q, q, q, o}

/* Each as the class of that model_type in the package `transformers` has it. */
static const Family families[] = {
    /* model_type, what it has, its biases, each so-manieth layer is global, tensors */
    {"transformer", 0, "", 0, {0}}, /* the first one, which is no class there */
    {"bert", ENCODES, "qkvo", 0, BERT},
    {"roberta", ENCODES, "qkvo", 0, BERT},
    {"gpt2", TRANSPOSED, "qkvo", 0, ALL_IN("h.#.attn.c_attn", "h.#.attn.c_proj")},
    {"gpt_neox", ROTARY | INTERLEAVED, "qkvo", 0, ALL_IN("layers.#.attention.query_key_value", "layers.#.attention.dense")},
    {"llama", ROTARY, "", 0, LLAMA},
    {"mistral", ROTARY, "", 0, LLAMA},
    {"mixtral", ROTARY, "", 0, LLAMA},
    {"qwen2", ROTARY | SWITCHED, "qkv", 0, LLAMA},
    {"qwen3", ROTARY | HEAD_NORM | SWITCHED, "", 0, LLAMA},
    {"gemma", ROTARY, "", 0, LLAMA},
    {"gemma2", ROTARY | CAPPED, "", 2, LLAMA},
    {"gemma3_text", ROTARY | HEAD_NORM, "", 6, LLAMA},
    {"olmo", ROTARY, "", 0, LLAMA},
    {"granite", ROTARY, "", 0, LLAMA},
    {"qwen3_moe", ROTARY | HEAD_NORM | SWITCHED, "", 0, LLAMA},
    {"phi3", ROTARY, "", 0, ALL_IN("layers.#.self_attn.qkv_proj", "layers.#.self_attn.o_proj")},
    {"gpt_oss", ROTARY | SINKS, "qkvo", 2, LLAMA},
    {"olmo2", ROTARY | FULL_NORM, "", 0, LLAMA},
    {"deepseek_v2", ROTARY | LATENT, "", 0, {0}},
    {"deepseek_v3", ROTARY | LATENT, "", 0, {0}},
    {"kimi_k2", ROTARY | LATENT, "", 0, {0}},
};

/* Published models. A paper, or the default of the class in `transformers` where
   it says so. */
#define SHAPE(l, d, h, g, ...) {.layers = l, .d_model = d, .heads = h, .groups = g, __VA_ARGS__}
static const struct Row { const char *name, *type, *source; Widths sizes; } rows[] = {
    /* layers, d_model, heads, groups of keys, width of a head, window; latent ... */
    {"transformer-base", "transformer", "Vaswani et al. 2017, table 3", SHAPE(18, 512, 8, 8, .encoders = 6)},
    {"bert-base", "bert", "Devlin et al. 2019, section 3; BertConfig", SHAPE(12, 768, 12, 12, .window = 0)},
    {"bert-large", "bert", "Devlin et al. 2019, section 3", SHAPE(24, 1024, 16, 16, .window = 0)},
    {"roberta-large", "roberta", "Liu et al. 2019, arXiv:1907.11692, section 5", SHAPE(24, 1024, 16, 16, .window = 0)},
    {"gpt2", "gpt2", "Radford et al. 2019, table 2, the smallest; heads: GPT2Config", SHAPE(12, 768, 12, 12, .window = 0)},
    {"gpt-neox-20b", "gpt_neox", "Black et al. 2022, arXiv:2204.06745, section 2; GPTNeoXConfig", SHAPE(44, 6144, 64, 64, .rope = 24)},
    {"llama-7b", "llama", "Touvron et al. 2023, arXiv:2302.13971, table 2; LlamaConfig", SHAPE(32, 4096, 32, 32, .window = 0)},
    {"llama-2-70b", "llama", "Touvron et al. 2023, table 1; widths: the released params.json", SHAPE(80, 8192, 64, 8, .window = 0)},
    {"llama-3-8b", "llama", "Llama team 2024, arXiv:2407.21783, table 3", SHAPE(32, 4096, 32, 8, .window = 0)},
    {"llama-3-70b", "llama", "Llama team 2024, arXiv:2407.21783, table 3", SHAPE(80, 8192, 64, 8, .window = 0)},
    {"llama-3-405b", "llama", "Llama team 2024, arXiv:2407.21783, table 3", SHAPE(126, 16384, 128, 8, .window = 0)},
    {"mistral-7b", "mistral", "Jiang et al. 2023, arXiv:2310.06825, table 1; MistralConfig", SHAPE(32, 4096, 32, 8, .head = 128, .window = 4096)},
    {"mixtral-8x7b", "mixtral", "Jiang et al. 2024, arXiv:2401.04088, table 1; MixtralConfig", SHAPE(32, 4096, 32, 8, .head = 128)},
    {"qwen2-0.5b", "qwen2", "Qwen team 2024, arXiv:2407.10671, table 1", SHAPE(24, 896, 14, 2, .head = 64)},
    {"qwen2-7b", "qwen2", "Qwen team 2024, arXiv:2407.10671, table 1", SHAPE(28, 3584, 28, 4, .head = 128)},
    {"qwen3-0.6b", "qwen3", "Qwen team 2025, arXiv:2505.09388, table 1; widths: its config.json", SHAPE(28, 1024, 16, 8, .head = 128)},
    {"gemma-7b", "gemma", "Gemma team 2024, arXiv:2403.08295, table 1; GemmaConfig", SHAPE(28, 3072, 16, 16, .head = 256)},
    {"gemma-2-2b", "gemma2", "Gemma team 2024, arXiv:2408.00118, table 1; Gemma2Config", SHAPE(26, 2304, 8, 4, .head = 256, .window = 4096)},
    {"gemma-2-9b", "gemma2", "Gemma team 2024, arXiv:2408.00118, table 1", SHAPE(42, 3584, 16, 8, .head = 256, .window = 4096)},
    {"gemma-3-1b", "gemma3_text", "Gemma team 2025, arXiv:2503.19786; widths: its config.json", SHAPE(26, 1152, 4, 1, .head = 256, .window = 512)},
    {"phi-3-mini", "phi3", "Abdin et al. 2024, arXiv:2404.14219, section 2; Phi3Config", SHAPE(32, 3072, 32, 32, .window = 0)},
    {"gpt-oss-20b", "gpt_oss", "OpenAI 2025, arXiv:2508.10925, section 2", SHAPE(24, 2880, 64, 8, .head = 64, .window = 128)},
    {"gpt-oss-120b", "gpt_oss", "OpenAI 2025, arXiv:2508.10925, section 2; GptOssConfig", SHAPE(36, 2880, 64, 8, .head = 64, .window = 128)},
    {"olmo-2-7b", "olmo2", "OLMo team 2025, arXiv:2501.00656, table 1; Olmo2Config", SHAPE(32, 4096, 32, 32, .window = 0)},
    {"deepseek-v2", "deepseek_v2", "DeepSeek-AI 2024, arXiv:2405.04434, section 3.1.2", SHAPE(60, 5120, 128, 128, .head = 128, .latent = 512, .query_latent = 1536, .rope = 64, .value = 128)},
    {"deepseek-v2-lite", "deepseek_v2", "DeepSeek-AI 2024, arXiv:2405.04434, appendix B", SHAPE(27, 2048, 16, 16, .head = 128, .latent = 512, .rope = 64, .value = 128)},
    {"deepseek-v3", "deepseek_v3", "DeepSeek-AI 2024, arXiv:2412.19437, section 4.2; DeepseekV3Config", SHAPE(61, 7168, 128, 128, .head = 128, .latent = 512, .query_latent = 1536, .rope = 64, .value = 128)},
    {"kimi-k2", "kimi_k2", "Kimi team 2025, arXiv:2507.20534, table 2; widths: its config.json", SHAPE(61, 7168, 64, 64, .head = 128, .latent = 512, .query_latent = 1536, .rope = 64, .value = 128)},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The keys of config.json that say how large attention is. */
static const struct { const char *names; size_t offset; } keys[] = {
#define AT(field) offsetof(Widths, field)
    {"num_hidden_layers n_layer", AT(layers)}, {"hidden_size n_embd", AT(d_model)},
    {"num_attention_heads n_head", AT(heads)}, {"num_key_value_heads", AT(groups)},
    {"head_dim", AT(head)}, {"qk_nope_head_dim", AT(head)}, {"sliding_window", AT(window)},
    {"kv_lora_rank", AT(latent)}, {"q_lora_rank", AT(query_latent)},
    {"qk_rope_head_dim", AT(rope)}, {"v_head_dim", AT(value)}};
enum { KEYS = sizeof keys / sizeof *keys };

/* Others that are read below, and those that change neither the matrices of
   attention nor what a decoder keeps. */
static const char harmless[] =
    "model_type architectures attention_bias use_sliding_window layer_types sliding_window_pattern "
    "partial_rotary_factor rotary_pct rope_parameters rope_theta rope_scaling rope_local_base_freq rotary_emb_base "
    "max_window_layers _name_or_path transformers_version torch_dtype dtype use_cache vocab_size type_vocab_size "
    "max_position_embeddings n_positions n_ctx intermediate_size n_inner hidden_act hidden_activation "
    "activation_function initializer_range layer_norm_eps layer_norm_epsilon rms_norm_eps norm_eps bos_token_id "
    "eos_token_id pad_token_id sep_token_id cls_token_id decoder_start_token_id tie_word_embeddings "
    "attention_dropout attention_probs_dropout_prob hidden_dropout_prob hidden_dropout attn_pdrop embd_pdrop resid_pdrop "
    "classifier_dropout gradient_checkpointing position_embedding_type id2label label2id task_specific_params "
    "summary_type summary_use_proj summary_activation summary_proj_to_labels summary_first_dropout "
    "scale_attn_weights scale_attn_by_inverse_layer_idx reorder_and_upcast_attn add_cross_attention is_decoder "
    "chunk_size_feed_forward output_attentions output_hidden_states return_dict problem_type mlp_bias pretraining_tp "
    "attn_logit_softcapping final_logit_softcapping query_pre_attn_scalar cache_implementation "
    "use_bidirectional_attention original_max_position_embeddings use_parallel_residual num_local_experts "
    "num_experts_per_tok experts_per_token router_aux_loss_coef router_jitter_noise output_router_logits swiglu_limit "
    "initial_context_length aux_loss_alpha seq_aux ep_size first_k_dense_replace moe_intermediate_size moe_layer_freq "
    "n_group topk_group n_routed_experts n_shared_experts norm_topk_prob routed_scaling_factor scoring_func topk_method is_encoder_decoder "
    "_sliding_window_pattern swiglu_alpha clip_qkv embedding_multiplier logits_scaling residual_multiplier attention_multiplier "
    "decoder_sparse_step mlp_only_layers num_experts num_shared_experts qk_head_dim rope_interleave "
    "num_nextn_predict_layers auto_map quantization_config pruned_heads bad_words_ids _attn_implementation";
/* clang-format on */

static const Family *
family_named(const char *type, const char *path)
{
    char *known = copy_text("");
    for (const Family *f = families;
         f < families + sizeof families / sizeof *families; f++)
        if (!strcmp(f->type, type))
            return f;
        else
            replace(&known, format_text("%s %s", known, f->type));
    fail("%s: its model_type \"%.64s\" is not known, and none is guessed: the "
         "known ones are%s; one of the same attention can be put there",
         path, type, known);
}

/* Widths and what follows from them: a head is a share of the token, and there
   are as many keys as queries, where nothing is said. */
static Published
published_of(const Family *f, const Widths *s, const char *name)
{
    Published p = {.name = name,
                   .family = f,
                   .d_model = s->d_model,
                   .layers = s->layers,
                   .heads = s->heads,
                   .groups = s->groups ? s->groups : s->heads,
                   .d_k = s->head ? s->head : s->d_model / s->heads,
                   .window = s->window,
                   .encoders = f->has & ENCODES ? s->layers : s->encoders,
                   .latent = s->latent,
                   .query_latent = s->query_latent};
    p.d_v = s->value ? s->value : p.d_k;
    p.rope = s->rope ? s->rope : f->has & ROTARY ? p.d_k : 0;
    p.local = allocate((size_t)p.layers, sizeof *p.local);
    for (int i = 0; i < p.layers; i++)
        p.local[i] = p.window && (!f->every || (i + 1) % f->every);
    for (int i = 0; i < 4; i++)
        p.bias[i] = strchr(f->biases, "qkvo"[i]) != NULL;
    return p;
}

/* The whole number of one of these names, least to a million; 0 where there is
   none, or null. */
static int
whole_number(const JsonValue *config, const char *names, const char *path)
{
    for (const JsonValue *v = json_first(config); v; v = json_next(v)) {
        if (index_in(names, v->name) < 0 || v->kind == JSON_NULL)
            continue;
        if (v->kind != JSON_NUMBER || v->number < 0 || v->number > 1e6 ||
            v->number != (int)v->number)
            fail("%s: its %s is no whole number up to a million: correct it",
                 path, v->name);
        return (int)v->number;
    }
    return 0;
}

static Widths
sizes_in(const JsonValue *config, const char *path)
{
    Widths s = {0};
    for (int i = 0; i < KEYS; i++) {
        int *to = (int *)((char *)&s + keys[i].offset);
        int number = whole_number(config, keys[i].names, path);
        *to = number ? number : *to;
        if (i < 3 && !*to)
            fail("%s: it has no %s, which is never guessed: put it there", path,
                 keys[i].names);
    }
    return s;
}

/* The share of each head's columns that is rotated, here or among the
   parameters of RoPE. */
static double
rotated_share(const JsonValue *config)
{
    const JsonValue *rope = json_member(config, "rope_parameters");
    const JsonValue *share = json_member(config, "partial_rotary_factor");
    share = share ? share : json_member(config, "rotary_pct");
    if (!share && rope)
        share = json_member(rope, "partial_rotary_factor");
    return share && share->kind == JSON_NUMBER ? share->number : 1;
}

/* Which layers see a window only: as the file lists them; or each but every
   n-th; or, in families with a switch, those from one on, if it is on. */
static void
read_windows(Published *p, const JsonValue *config)
{
    const JsonValue *types = json_member(config, "layer_types");
    const JsonValue *on = json_member(config, "use_sliding_window");
    int every = whole_number(
        config, "sliding_window_pattern _sliding_window_pattern", p->name);
    int first = whole_number(config, "max_window_layers", p->name);
    bool off = p->family->has & SWITCHED && !(on && on->kind == JSON_TRUE);
    if (types && types->members != p->layers && types->kind == JSON_LIST)
        fail("%s: its layer_types are %d, and its layers %d: correct it",
             p->name, types->members, p->layers);
    const JsonValue *type =
        types && types->kind == JSON_LIST ? json_first(types) : NULL;
    for (int i = 0; i < p->layers; i++) {
        bool local =
            type && !strcmp(type->text ? type->text : "", "sliding_attention");
        if (type && !local &&
            (!type->text || strcmp(type->text, "full_attention")))
            fail("%s: a layer of type \"%.64s\" is not known, and not guessed",
                 p->name, type->text ? type->text : "?");
        if (type)
            p->local[i] = local && p->window;
        else if (p->family->has & SWITCHED)
            p->local[i] = p->window && i >= first;
        else if (every)
            p->local[i] = p->window && (i + 1) % every;
        p->local[i] &= !off;
        type = type ? json_next(type) : NULL;
    }
}

static void
note_unknown(const JsonValue *config, const char *path)
{
    char *unknown = copy_text("");
    for (const JsonValue *v = json_first(config); v; v = json_next(v)) {
        bool known = index_in(harmless, v->name) >= 0;
        for (int i = 0; i < KEYS; i++)
            known |= index_in(keys[i].names, v->name) >= 0;
        if (!known && v->kind != JSON_NULL)
            replace(&unknown, format_text("%s %.64s", unknown, v->name));
    }
    if (*unknown)
        note("%s: not known, and left out of account:%.512s", path, unknown);
    free(unknown);
}

Published
published_read(const char *path)
{
    size_t size;
    char *text = read_file(path, "configuration", &size);
    JsonValue *document = json_read(text, size, path);
    const JsonValue *inner = json_member(document, "text_config");
    const JsonValue *config = inner ? inner : document;
    const JsonValue *type = json_member(config, "model_type");
    const JsonValue *biases = json_member(config, "attention_bias");
    if (!type || type->kind != JSON_TEXT)
        fail("%s: it has no model_type: name the config.json of a model, as "
             "transformers saves it",
             path);
    const Family *f = family_named(type->text, path);
    Widths s = sizes_in(config, path);
    if (f->has &
        LATENT) /* where this one means what transformers makes of it */
        s.groups = 0;
    if (!(f->has & LATENT) == (s.latent > 0))
        fail("%s: a %s has %s kv_lora_rank: correct it", path, f->type,
             s.latent ? "no" : "a");
    Published p = published_of(f, &s, path);
    if (p.heads % p.groups || (!s.head && p.d_model % p.heads))
        fail("%s: %d heads do not divide into %d groups, or a width of %d into "
             "heads: correct it",
             path, p.heads, p.groups, p.d_model);
    double share = rotated_share(config), widest = (double)p.d_k + p.d_v;
    if (!(share >= 0 && share <= 1))
        fail("%s: it rotates %g of a head's columns: correct it", path, share);
    if (widest * p.heads * p.d_model > 2e9)
        fail("%s: a map of %d heads would have more than two billion entries: "
             "correct it",
             path, p.heads);
    if (!(f->has & LATENT) && p.rope)
        p.rope = (int)(p.d_k * share) / 2 * 2;
    for (int i = 0; biases && i < 4; i++)
        p.bias[i] = biases->kind == JSON_TRUE;
    if (f->has & LATENT && p.bias[QUERY])
        fail("%s: attention_bias with a latent is not known, and not guessed",
             path);
    read_windows(&p, config);
    note_unknown(config, path);
    free(document);
    free(text);
    return p;
}

const int published_count = ROWS;

Published
published_row(int i)
{
    const struct Row *r = &rows[i];
    Published p =
        published_of(family_named(r->type, r->name), &r->sizes, r->name);
    p.source = r->source;
    return p;
}

Published
published_named(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(name, rows[i].name))
            return published_row(i);
    usage("unknown model \"%.64s\": `qkv list --models` lists them", name);
}

char *
published_settings(const Published *p)
{
    char *latent = p->latent
                       ? format_text("latent=%d positions=none "
                                     "query-latent=%d rope=%d",
                                     p->latent, p->query_latent, p->rope)
                       : format_text("kv-heads=%d positions=%s", p->groups,
                                     p->rope ? "rope" : "none");
    char *all =
        format_text("d-model=%d layers=%d heads=%d d-k=%d d-v=%d %s",
                    p->d_model, p->layers, p->heads, p->d_k, p->d_v, latent);
    free(latent);
    return all;
}

char *
published_words(const Published *p)
{
    int has = p->family->has, local = 0, biases = 0;
    char of[5] = "", *window = copy_text("");
    char *settings = published_settings(p);
    for (int i = 0; i < p->layers; i++)
        local += p->local[i];
    for (int i = 0; i < 4; i++)
        if (p->bias[i])
            of[biases++] = "qkvo"[i];
    if (local)
        replace(&window,
                format_text(", %d layers see %d tokens", local, p->window));
    char *all = format_text(
        "%s%s%s%s%s%s%s%s", settings, biases ? ", biases of " : "", of,
        p->rope && p->rope < p->d_k && !p->latent ? ", a part rotated" : "",
        has & (HEAD_NORM | FULL_NORM) ? ", norms of q and k" : "",
        has & SINKS ? ", sinks" : "", window,
        p->encoders ? ", no cache where it encodes" : "");
    free(settings);
    free(window);
    return all;
}
