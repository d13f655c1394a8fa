{{/* Arguments, mounts and volumes of the two apps that reach the store. */}}
{{- define "sallyport.storeArgs" -}}
{{- $etcd := .Values.etcd -}}
{{- $endpoints := $etcd.bundled.enabled | ternary (list (printf "%s-etcd:2379" .Release.Name)) $etcd.endpoints -}}
{{- $args := list (printf "--store=etcd://%s" (join "," $endpoints)) -}}
{{- if include "sallyport.etcdTls" . -}}
{{- range $setting, $file := dict "ca" "ca.crt" "cert" "tls.crt" "key" "tls.key" -}}
{{- $args = append $args (printf "--etcd-%s-file=/var/run/sallyport/etcd/%s" $setting $file) -}}
{{- end -}}
{{- with $etcd.tls.serverName }}{{- $args = append $args (printf "--etcd-server-name=%s" .) -}}{{- end -}}
{{- end -}}
{{ $args | toJson }}
{{- end }}

{{- define "sallyport.etcdTls" -}}
{{- if and .Values.etcd.tls.enabled (not .Values.etcd.bundled.enabled) }}yes{{ end -}}
{{- end }}

{{- define "sallyport.etcdPort" -}}
{{- $ports := list -}}
{{- range .Values.etcd.bundled.enabled | ternary (list "x:2379") .Values.etcd.endpoints -}}
{{- $ports = append $ports (regexFind "[0-9]+$" .) -}}
{{- end -}}
{{ $ports | uniq | toJson }}
{{- end }}
