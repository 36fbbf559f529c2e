-- book.lua - what pandoc makes of a lesson: W_i^Q in prose is a formula, no line breaks
-- within one, tables of tabs are padded, what is typed is marked, and, where a page of its own is made, its sections go to the search.

-- A symbol of several letters, such as "model", is upright, unless it is the name of a Greek one.
local greek = { alpha = true, beta = true, lambda = true }

local function upright(name)
  return greek[name] and "\\" .. name or name:find("%a%a%a") and "\\mathrm{" .. name .. "}" or name
end

-- The pieces of one word: "(W_i^Q" -> "(" and the formula W_{i}^{Q}.
local function pieces(text)
  local out, at = pandoc.List(), 1
  while true do
    local from, to, base = text:find("(%a[%a%d]*)", at)
    if not from then
      break
    end
    local below = text:match("^_(%w+)", to + 1)
    to = below and to + 1 + #below or to
    local above = text:match("^%^(%-?%w+)", to + 1)
    to = above and to + 1 + #above or to
    out:insert(pandoc.Str(text:sub(at, from - 1)))
    above = above and upright(above) or ""
    local transposed = text:find("^'", to + 1) and not text:find("^'%a", to + 1) -- unlike "W_Q's"
    if transposed and (below or above ~= "") then
      above, to = above .. "\\prime", to + 1
    end
    local tex = upright(base) .. (below and "_{" .. upright(below) .. "}" or "")
      .. (above ~= "" and "^{" .. above .. "}" or "")
    out:insert((below or above ~= "") and pandoc.Math("InlineMath", tex) or pandoc.Str(base))
    at = to + 1
  end
  out:insert(pandoc.Str(text:sub(at)))
  return out
end

-- Names of programs (in_proj_weight) and files stay as they are. A letter that is no
-- English word is a symbol, with the ' of a transpose: x, W, "(M'", but not a, A, I, and
-- not the language C.
local function word(el)
  local before, name, after = el.text:match("^(%(*)(%a+'?)([%)',.;:?]*)$")
  if name and (greek[name] or name:find("^%a'?$") and not name:find("^[aAIC]")) then
    return { pandoc.Str(before), pandoc.Math("InlineMath", upright(name)), pandoc.Str(after) }
  end
  local lines = select(2, el.text:gsub("_", ""))
  local marked = el.text:find("%w_%w") or el.text:find("%w%^%-?%w")
  if el.text:find("/%w") or el.text:find("%w%.%a") then
    return nil
  end
  return marked and lines < 2 and pieces(el.text) or nil
end

-- The x of "3 x 8" and "n x d_model" is a cross, a - by itself a minus.
local function crossed(list)
  for i = 3, #list - 2 do
    local before, after = list[i - 2].text, list[i + 2].text
    if list[i].text == "x" and list[i].t == "Str" and before and after
      and (before:find("%d$") or before:find("d_%w+$") or before:find("^%(?[nThd]$"))
      and (after:find("^%(?%d") or after:find("^d_") or after:find("^[nm]%p*$")) then
      list[i] = pandoc.Str("×")
    elseif list[i].text == "-" then
      list[i] = pandoc.Str("−")
    end
  end
  return list
end

-- The words of a text, each with the space before it.
local function words_of(list)
  local words, space = pandoc.List(), nil
  for _, el in ipairs(list) do
    if el.t == "Space" or el.t == "SoftBreak" then
      space = el
    elseif space or #words == 0 then
      words:insert({ space = space, els = pandoc.List({ el }) })
      space = nil
    else
      words[#words].els:insert(el)
    end
  end
  return words, space
end

-- May a word be in a formula? A symbol with what is at its sides, an operator, a number,
-- the beginning of a function, as in "softmax(x M x')", or an A, which word() leaves as it
-- is. Only some make a formula of the numbers beside them.
local operators = { ["="] = true, ["+"] = true, ["−"] = true, ["×"] = true, ["/"] = true }

local function has_math(word)
  return word.els:find_if(function(el) return el.t == "Math" end) ~= nil
end
local function makes_formula(word)
  return has_math(word) or operators[word.els[1].text] ~= nil
end
local function in_formula(word)
  local text = #word.els == 1 and word.els[1].text or ""
  return makes_formula(word) or text:find("^%(?[%d.,]+%)?$") or text:find("^%l+%(%l?$")
    or text:find("^%(?A%)?$") or text:find("^%(a$") or text:find("^a%)$")
end
local function ends_formula(word)
  local text = word.els[#word.els].text or ""
  return text:find("[,.;:?]$") ~= nil
end

-- About as many letters as words are wide.
local function width(words)
  local letters = 0
  for _, word in ipairs(words) do
    for _, el in ipairs(word.els) do
      letters = letters + #(el.text or ""):gsub("\\%a+", "s"):gsub("[{}_^]", "")
    end
    letters = letters + 1
  end
  return letters
end

-- A formula that is wider than a phone's line is broken before each =, if that is enough.
local WIDEST = 32

local function lines_of(formula)
  local lines = pandoc.List({ pandoc.List() })
  for _, word in ipairs(formula) do
    if word.els[1].text == "=" and #lines[#lines] > 0 and width(formula) > WIDEST then
      lines:insert(pandoc.List())
    end
    lines[#lines]:insert(word)
  end
  return lines
end

-- Words as a list again, or as a span that is not broken.
local function joined(words, whole)
  local inner = pandoc.List()
  for i, word in ipairs(words) do
    inner:extend(i > 1 and { word.space } or {})
    inner:extend(word.els)
  end
  local out = pandoc.List({ words[1].space })
  out:extend(whole and { pandoc.Span(inner, { class = "whole" }) } or inner)
  return out
end

local function unbroken(list)
  local words, last_space = words_of(list)
  local out, formula = pandoc.List(), pandoc.List()
  local function close()
    for _, line in ipairs(#formula > 0 and lines_of(formula) or {}) do
      out:extend(joined(line, width(line) <= WIDEST and line:find_if(makes_formula)))
    end
    formula = pandoc.List()
  end
  for _, word in ipairs(words) do
    if in_formula(word) then
      formula:insert(word)
    else
      close()
      out:extend(joined({ word }, false))
    end
    if ends_formula(word) then
      close()
    end
  end
  close()
  out:insert(last_space)
  return out
end

-- Rows of a table are padded, column by column, as tabs cannot be.
local function pad(rows)
  local wide = {}
  for _, cells in ipairs(rows) do
    for i, cell in ipairs(cells) do
      wide[i] = math.max(wide[i] or 0, #cell)
    end
  end
  local lines = pandoc.List()
  for _, cells in ipairs(rows) do
    local line = ""
    for i, cell in ipairs(cells) do
      line = line .. cell .. (i < #cells and (" "):rep(wide[i] + 2 - #cell) or "")
    end
    lines:insert(line)
  end
  return lines
end

local function table_of(el)
  if not el.text:find("\t") then
    return nil
  end
  local out, rows = pandoc.List(), {}
  for line in (el.text .. "\n"):gmatch("(.-)\n") do
    if line:find("\t") and not line:find("^%$ ") then
      local cells = {}
      for cell in (line .. "\t"):gmatch("(.-)\t") do
        table.insert(cells, cell)
      end
      table.insert(rows, cells)
    else
      out:extend(pad(rows))
      rows = {}
      out:insert(line)
    end
  end
  out:extend(pad(rows))
  el.text = table.concat(out, "\n")
  return el
end

-- May the web edition run a block? Then it says which earlier blocks of the page made
-- what it reads; else why not.
local known = {}
for name in ("qkv qkv-double cut sed grep head tail cat cksum ls echo seq awk for"):gmatch("%S+") do
  known[name] = true
end
local block, made = 0, {}

local function running(el)
  local typed = ""
  for line in el.text:gmatch("[^\n]+") do
    typed = typed .. (line:match("^[$>] (.*)") and line:sub(3) .. "\n" or "")
  end
  block = block + 1
  local needs, why = pandoc.List()
  for name, by in pairs(made) do
    if typed:gsub("%-o %S+", ""):find("%f[%w_]" .. name:gsub("%p", "%%%0") .. "%f[^%w_]") then
      needs:insert(by)
    end
  end
  for name in typed:gmatch("%-o ([%w_]+)") do
    made[name] = block
  end
  for name in typed:gmatch(" >([%w_.]+)") do
    made[name] = block
  end
  local bare = typed:gsub('"[^"$]*"', "Q"):gsub("'[^']*'", "Q"):gsub("%$%(", ";"):gsub('"', ""):gsub("%d>&%d", "")
    :gsub("%d?>%s*[^%s;|)]+", ""):gsub("&&", ";")
  for part in bare:gmatch("[^|;()\n]+") do
    local name = part:gsub("^%s*do ", ""):match("^%s*(%S+)")
    if name and name ~= "done" and not name:find("Q:?$") and not known[name] then
      why = "it needs " .. name
    end
  end
  if bare:find("[&<]") or bare:find("sed %-i") or bare:find("%.c%f[^%w]") or bare:find("qkv new") or bare:find("qkv recipe") then
    why = why or "it needs a system of its own"
  end
  if bare:find("%-%-threads") then
    why = why or "it needs threads"
  end
  needs:sort()
  return why and ' data-not="' .. why .. '"' or ' data-run="' .. table.concat(needs, " ") .. '"'
end

-- What is typed in a console block, which a narrow window may wrap.
local function console(el)
  local run = el.classes:includes("console") and running(el) or ""
  el = table_of(el) or el
  if run == "" then
    return el
  end
  local text = el.text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" })
  text = ("\n" .. text):gsub("\n(%$ [^\n]*)", "\n<kbd>%1</kbd>"):gsub("\n(&gt; [^\n]*)", "\n<kbd>%1</kbd>")
  return pandoc.RawBlock("html", "<pre class=\"console\"" .. run .. "><code>" .. text:sub(2) .. "</code></pre>")
end

-- ![what is seen](figure.svg "what it says"): the title is what a reader sees below the
-- figure, the rest is for those who do not see it. (Older pandocs have no Figure.)
local function escaped(text)
  return (text:gsub('[&<>"]', { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

local function figure(el)
  local image = el.content[1]
  image = image and image.t ~= "Image" and image.content and image.content[1] or image
  local title = image and image.t == "Image" and #el.content == 1 and image.title:gsub("^fig:", "")
  if not title or title == "" then
    return nil
  end
  local seen = escaped(pandoc.utils.stringify(image.caption))
  return {
    pandoc.RawBlock("html", '<figure><img src="' .. image.src .. '" alt="' .. seen .. '" /><figcaption>'),
    pandoc.Plain(pandoc.read(title, "markdown-smart").blocks[1].content),
    pandoc.RawBlock("html", "</figcaption></figure>"),
  }
end

-- Links to files of the program, which are not in the book, are words only.
local function link(el)
  return el.target:find("^%.%./") and el.content or nil
end

-- A line for each section, [page, id, lesson, heading, text], into the file that the
-- metadata name; code is not searched.
local function quoted(text)
  return '"' .. text:gsub('[%c\\"<]', { ["\\"] = "\\\\", ['"'] = '\\"', ["<"] = "\\u003c", ["\n"] = " " }) .. '"'
end

local function to_search(doc)
  if not doc.meta.search then
    return
  end
  local file = assert(io.open(pandoc.utils.stringify(doc.meta.search), "a"))
  local page, lesson = pandoc.utils.stringify(doc.meta.page), pandoc.utils.stringify(doc.meta.title)
  local id, heading, text = "", "", pandoc.List()
  local function section()
    if #text > 0 then
      local fields = pandoc.List({ page, id, lesson, heading, table.concat(text, " ") }):map(quoted)
      file:write("[" .. table.concat(fields, ",") .. "],\n")
    end
    text = pandoc.List()
  end
  for _, block in ipairs(doc.blocks) do
    if block.t == "Header" and block.level > 1 then
      section()
      id, heading = block.identifier, pandoc.utils.stringify(block)
    elseif block.t ~= "CodeBlock" and block.t ~= "Header" then
      text:insert(pandoc.utils.stringify(block))
    end
  end
  section()
  file:close()
end

return {
  { Pandoc = to_search },
  {
    traverse = "topdown",
    Span = function(el)
      return el, not el.classes:includes("file")
    end,
    Inlines = crossed,
    Link = link,
    Str = word,
    Para = figure,
    Figure = figure,
    CodeBlock = console,
  },
  { Inlines = unbroken },
}
