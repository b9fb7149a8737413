package accesslog

import "bytes"

// keep stores a value in the field that its key stands for. The keys are those of the formats in
// the comment of object, and common names for the variables of nginx.
func (j *jsonFields) keep(at place, key, value []byte) {
	switch at {
	case top:
		j.keepTop(key, value)
	case within:
		j.keepWithin(key, value)
	case headers:
		if bytes.EqualFold(key, []byte("User-Agent")) {
			j.agent.set(value, 3)
		}
	}
}

func (j *jsonFields) keepTop(key, value []byte) {
	switch string(key) {
	case "remote_addr", "client", "client_ip", "clientip", "clientIp", "remote_ip", "ip",
		"ClientHost", "c-ip":
		j.client(value, 2)
	case "ClientIP":
		j.client(value, 3)
		j.edge = true
	case "remote_host", "ClientAddr":
		j.client(value, 1)
	case "request", "request_line":
		j.request, j.hasLine = value, true
	case "request_uri", "RequestPath", "requestUri", "ClientRequestURI":
		j.target.set(value, 3)
	case "url", "request_url":
		j.target.set(value, 1)
		j.edge = true
	case "uri", "path":
		j.path = value
	case "args", "query", "query_string":
		j.query = value
	case "log":
		j.line = value
	default:
		j.keepRest(key, value)
	}
}

func (j *jsonFields) keepRest(key, value []byte) {
	switch string(key) {
	case "StartUTC", "EdgeStartTimestamp", "time_iso8601":
		j.time.set(value, 3)
	case "time", "timestamp", "@timestamp", "ts", "time_local", "datetime":
		j.time.set(value, 2)
	case "msec", "date":
		j.time.set(value, 1)
	case "status", "response_status", "DownstreamStatus", "EdgeResponseStatus", "status_code":
		j.status.set(value, 2)
	case "http_user_agent", "user_agent", "ua", "request_user_agent", "request_User-Agent",
		"ClientRequestUserAgent",
		"agent", "useragent", "userAgent", "UserAgent":
		j.agent.set(value, 2)
	case "request_method", "RequestMethod", "ClientRequestMethod", "method":
		j.method.set(value, 2)
	case "http_host", "vhost", "RequestHost", "ClientRequestHost", "request_host":
		j.host.set(value, 3)
	case "host":
		j.host.set(value, 2)
	case "server_name":
		j.host.set(value, 1)
	}
}

// keepWithin stores a value of Caddy's request or Google's httpRequest.
func (j *jsonFields) keepWithin(key, value []byte) {
	switch string(key) {
	case "client_ip", "remoteIp":
		j.client(value, 4)
	case "remote_ip", "remote_addr":
		j.client(value, 3)
	case "uri":
		j.target.set(value, 4)
	case "requestUrl":
		j.target.set(value, 4)
		j.edge = true
	case "method", "requestMethod":
		j.method.set(value, 3)
	case "status":
		j.status.set(value, 3)
	case "userAgent":
		j.agent.set(value, 3)
	case "host":
		j.host.set(value, 4)
	}
}
