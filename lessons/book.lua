-- book.lua - W_i^Q in prose becomes W with i below and Q above it: for pandoc.

-- The pieces of one word: "(W_i^Q" -> "(", W, sub i, sup Q.
local function pieces(text)
  local out, at = pandoc.List(), 1
  while true do
    local from, to, base = text:find("([%a%d]+[%d.]*)", at)
    if not from then
      break
    end
    local below = text:match("^_(%w+)", to + 1)
    to = below and to + 1 + #below or to
    local above = text:match("^%^(%-?%w+)", to + 1)
    to = above and to + 1 + #above or to
    out:insert(pandoc.Str(text:sub(at, from - 1)))
    local letter = (below or above) and base:find("^%a")
    out:insert(letter and pandoc.Emph(pandoc.Str(base)) or pandoc.Str(base))
    if below then
      out:insert(pandoc.Subscript(pandoc.Str(below)))
    end
    if above then
      out:insert(pandoc.Superscript(pandoc.Str(above)))
    end
    at = to + 1
  end
  out:insert(pandoc.Str(text:sub(at)))
  return out
end

-- Names of programs (in_proj_weight) and files stay as they are.
local function word(el)
  local lines = select(2, el.text:gsub("_", ""))
  local marked = el.text:find("%w_%w") or el.text:find("%w%^%-?%w")
  if el.text:find("/%w") or el.text:find("%w%.%a") then
    return nil
  end
  return marked and lines < 2 and pieces(el.text) or nil
end

return {
  {
    traverse = "topdown",
    Span = function(el)
      return el, not el.classes:includes("file")
    end,
    Str = word,
  },
}
