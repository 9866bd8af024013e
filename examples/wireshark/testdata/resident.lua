-- It prints the most memory that TShark had, at the end of a capture: VmHWM of the process. The
-- rusage of a process counts also the memory of the process that started it.
local frames = Listener.new("frame")
function frames.draw()
  for line in io.lines("/proc/self/status") do
    local kilobytes = line:match("^VmHWM:%s*(%d+) kB")
    if kilobytes then io.stderr:write("resident ", kilobytes, "\n") end
  end
end
