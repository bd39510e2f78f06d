-- What an interpreter does, and errors and coroutines, which leave frames without a return.
local words = {}
for word in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do words[#words + 1] = word end
table.sort(words, function(a, b) return a < b end)
local counts = setmetatable({}, { __index = function() return 0 end })
for _, word in ipairs(words) do counts[word] = counts[word] + 1 end
local generator = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * 2.5) end end)
print(generator(), generator(), table.concat(words, " "), counts.the)
print(pcall(error, { code = 7 }), select("#", pcall(function() local x = nil; return x.y end)))
local chunk = assert(load("local a, b = ... return a // b, a % b, a ~ b, a << 2, tostring(a):rep(b)"))
print(chunk(17, 3))
collectgarbage("collect")
print(string.format("%5.2f %q %s", math.pi, "a\nb", utf8.char(228)), os.time({ year = 2020, month = 1, day = 1, hour = 12 }) > 0)
