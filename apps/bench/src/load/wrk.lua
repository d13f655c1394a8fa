-- What wrk does for the bench. Arguments: bytes of each upload (0: GET), and "close" for a new connection each time.

-- The name of the URL is for TLS and Host only: everything here listens on loopback.
function wrk.resolve(_host, service)
  wrk.addrs = wrk.lookup("127.0.0.1", service)
end

function init(args)
  local bytes = tonumber(args[1])
  if bytes > 0 then
    wrk.method = "POST"
    wrk.body = string.rep("x", bytes)
  end
  if args[2] == "close" then wrk.headers["Connection"] = "close" end
end

function done(summary, latency, _requests)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"bytes":%d,"us":%d,"errors":%d,"medianUs":%d,"p99Us":%d}\n',
    summary.requests, summary.bytes, summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
