{{- define "portico.name" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "portico.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "portico.labels" -}}
{{ include "portico.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The gateway file as a tree. Everything that reads it goes by this, so nothing is rendered of a file that cannot work. */}}
{{- define "portico.config" -}}
{{- if not .Values.config -}}
{{- fail "config is empty: give the text of the gateway file, with --set-file config=portico.yaml" -}}
{{- end -}}
{{- $config := fromYaml .Values.config -}}
{{- if hasKey $config "Error" -}}{{- fail (printf "config is no YAML: %s" (get $config "Error")) -}}{{- end -}}
{{- $admin := get $config "admin" | default dict -}}
{{- $listen := get $config "listen" | default dict -}}
{{- $host := get $admin "host" | default "127.0.0.1" | toString -}}
{{- if not (or (hasPrefix "${ADMIN_HOST" $host) (has $host (list "0.0.0.0" "::"))) -}}
{{- fail (printf "config: admin.host is %s, where no probe reaches it; write: host: '${ADMIN_HOST}'" $host) -}}
{{- end -}}
{{- if not (or (get $admin "token") (get $admin "tokens")) -}}
{{- fail "config: anyone in the cluster could change the gateway; write under admin: token: '${ADMIN_TOKEN}'" -}}
{{- end -}}
{{- $port := get $listen "port" | default 8080 | toString -}}
{{- if not (or (hasPrefix "${PORT" $port) (eq $port "8080")) -}}
{{- fail (printf "config: listen.port is %s, but the chart serves 8080; write: port: '${PORT}'" $port) -}}
{{- end -}}
{{- $adminPort := get $admin "port" | default 9090 | toString -}}
{{- if not (or (hasPrefix "${ADMIN_PORT" $adminPort) (eq $adminPort "9090")) -}}
{{- fail (printf "config: admin.port is %s, but the chart asks 9090; write: port: '${ADMIN_PORT}'" $adminPort) -}}
{{- end -}}
{{- if and (not (get $config "redis")) (or .Values.autoscaling.enabled (gt (int .Values.replicas) 1)) -}}
{{- fail "config has no redis, so each replica would count limits alone and know other keys; add redis: { url: '${REDIS_URL}' }, or set replicas: 1" -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{/* Seconds that Kubernetes waits: the drain of the file, 8 s for answers under way, and 2 to spare. */}}
{{- define "portico.grace" -}}
{{- $config := include "portico.config" . | fromYaml -}}
{{- $drain := get (get $config "listen" | default dict) "drain" | default "1500ms" | toString -}}
{{- if not (regexMatch "^[0-9]+(ms|s|m)$" $drain) -}}
{{- fail (printf "config: listen.drain is %s; write a duration here, such as 5s, because the chart waits for it" $drain) -}}
{{- end -}}
{{- $number := regexFind "^[0-9]+" $drain | int -}}
{{- $seconds := $number -}}
{{- if hasSuffix "ms" $drain -}}{{- $seconds = divf $number 1000 | ceil | int -}}
{{- else if hasSuffix "m" $drain -}}{{- $seconds = mul $number 60 | int -}}{{- end -}}
{{- $least := add $seconds 8 | int -}}
{{- $grace := .Values.terminationGracePeriodSeconds | default (add $least 2) | int -}}
{{- if lt $grace $least -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, but a drain takes up to %d s: requests would be cut off" $grace $least) -}}
{{- end -}}
{{- $grace -}}
{{- end -}}
