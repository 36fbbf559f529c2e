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

return {
  {
    traverse = "topdown",
    Span = function(el)
      return el, not el.classes:includes("file")
    end,
    Str = word,
    CodeBlock = table_of,
  },
}
