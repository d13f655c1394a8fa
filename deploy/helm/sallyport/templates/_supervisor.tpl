{{/* Arguments of a supervisor of a pool, as a JSON list. `root`, `pool`, `capacity`. */}}
{{- define "sallyport.supervisorArgs" -}}
{{- $values := .root.Values -}}
{{- $release := .root.Release -}}
{{- $args := list
  (printf "--pool=%s" .pool)
  (printf "--capacity=%v" .capacity)
  (printf "--delivery=%s" $values.supervisors.delivery)
  (printf "--drain=%s" $values.supervisors.drain)
  "--credential-file=/var/run/sallyport/token/token" -}}
{{- range $index := until (int $values.gateway.replicas) -}}
{{- $args = append $args (printf "--gateway=%s-gateway-%d.%s-gateways.%s:7444" $release.Name $index $release.Name $release.Namespace) -}}
{{- end -}}
{{- with $values.appListener -}}
{{- if .enabled -}}
{{- $args = concat $args (list
  (printf "--app-listen=%s" (include "sallyport.listen" (dict "root" $.root "port" .port)))
  (printf "--domain=%s" $values.domain)
  "--app-cert-file=/var/run/sallyport/app/tls.crt"
  "--app-key-file=/var/run/sallyport/app/tls.key") -}}
{{- if .clientCaSecret }}{{ $args = append $args "--app-client-ca-file=/var/run/sallyport/client-ca/ca.crt" }}{{ end -}}
{{- if .trustedCidrs }}{{ $args = append $args (printf "--trusted-cidrs=%s" (join "," .trustedCidrs)) }}{{ end -}}
{{- end -}}
{{- end -}}
{{ concat $args $values.supervisors.extraArgs | toJson }}
{{- end }}

{{- define "sallyport.supervisorContainer" -}}
{{- $listener := .root.Values.appListener -}}
{{- $ports := dict -}}
{{- $mounts := dict "token" "/var/run/sallyport/token" -}}
{{- if $listener.enabled -}}
{{- $_ := set $ports "app" (int $listener.port) -}}
{{- $_ := set $mounts "app" "/var/run/sallyport/app" -}}
{{- if $listener.clientCaSecret }}{{ $_ := set $mounts "client-ca" "/var/run/sallyport/client-ca" }}{{ end -}}
{{- end -}}
{{ include "sallyport.container" (dict
  "root" .root
  "app" "supervisor"
  "admin" 9101
  "args" (fromJsonArray (include "sallyport.supervisorArgs" .))
  "ports" $ports
  "mounts" $mounts
  "resources" .root.Values.supervisors.resources) }}
{{- end }}

{{- define "sallyport.supervisorVolumes" -}}
{{ include "sallyport.secretVolume" (dict "name" "internal" "secret" (printf "%s-supervisor-internal" .Release.Name)) }}
{{ include "sallyport.tokenVolume" . }}
{{- with .Values.appListener }}
{{- if .enabled }}
{{ include "sallyport.secretVolume" (dict "name" "app" "secret" (include "sallyport.appSecret" $)) }}
{{- with .clientCaSecret }}
{{ include "sallyport.secretVolume" (dict "name" "client-ca" "secret" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Draining and closing, with some seconds to spare. */}}
{{- define "sallyport.supervisorGrace" -}}
{{- add 5 (include "sallyport.seconds" .Values.supervisors.drain) -}}
{{- end }}

{{/* The supervisors of single sandboxes that are in Pods of their own, as a JSON list. */}}
{{- define "sallyport.dedicatedSupervisors" -}}
{{- $list := .Values.dedicated.supervisors -}}
{{- if .Values.examples.dedicatedBoundary -}}
{{- $list = append $list (dict "name" "example" "workspace" (include "sallyport.exampleWorkspace" .) "sandbox" "apart") -}}
{{- end -}}
{{ $list | toJson }}
{{- end }}

{{/* What a sandbox's own supervisor gives as its pool; the driver makes the same of the names. */}}
{{- define "sallyport.dedicatedPool" -}}
{{- $whole := printf "dedicated:%s:%s" .workspace .sandbox -}}
{{- if le (len $whole) 128 }}{{ $whole }}{{ else }}{{ trunc 111 $whole }}:{{ sha256sum $whole | trunc 16 }}{{ end -}}
{{- end }}

{{/* A duration as whole seconds, rounded up. */}}
{{- define "sallyport.seconds" -}}
{{- $amount := int (regexFind "^[0-9]+" .) -}}
{{- if hasSuffix "ms" . }}{{ div (add $amount 999) 1000 }}{{ else if hasSuffix "m" . }}{{ mul 60 $amount }}{{ else if hasSuffix "h" . }}{{ mul 3600 $amount }}{{ else }}{{ $amount }}{{ end -}}
{{- end }}

{{- define "sallyport.exampleWorkspace" -}}
{{ .Values.workloads.workspaceIsNamespace | ternary .Release.Namespace "team" }}
{{- end }}
