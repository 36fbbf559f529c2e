-- book.lua - W_i^Q in prose becomes W with i below and Q above it: for pandoc.

local function letters(text)
  return pandoc.Emph(pandoc.Str(text))
end

-- "(W_i^Q" -> "(", W, sub i, sup Q; names of programs (in_proj_weight) stay.
function Str(el)
  if not el.text:find("[%a%d][_^]%w") and not el.text:find("[%a%d]^%-%w") then
    return nil
  end
  if select(2, el.text:gsub("_", "")) > 1 then
    return nil
  end
  local out, at = pandoc.List(), 1
  while at <= #el.text do
    local from, to, base, below, above = el.text:find("([%a%d.]+)_?([%w]*)%^?(%-?[%w.]*)", at)
    if not from then
      break
    end
    out:insert(pandoc.Str(el.text:sub(at, from - 1)))
    local whole = el.text:sub(from, to)
    if not whole:find("[_^]") then
      below, above = "", ""
      base = whole
    end
    out:insert(whole:find("[_^]") and base:find("%a") and letters(base) or pandoc.Str(base))
    if below ~= "" then
      out:insert(pandoc.Subscript(pandoc.Str(below)))
    end
    if above ~= "" then
      out:insert(pandoc.Superscript(pandoc.Str(above)))
    end
    at = to + 1
  end
  out:insert(pandoc.Str(el.text:sub(at)))
  return out
end
