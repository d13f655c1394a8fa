{{/* The release's name is the first part of every object's, so that `sallyport pki secrets` can know them. */}}
{{- define "sallyport.labels" -}}
app.kubernetes.io/name: sallyport
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
app.kubernetes.io/part-of: sallyport
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "sallyport.selector" -}}
app.kubernetes.io/name: sallyport
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
{{- end }}

{{- define "sallyport.image" -}}
{{- $image := .root.Values.image -}}
{{- if $image.registry }}{{ trimSuffix "/" $image.registry }}/{{ end }}{{ $image.prefix }}{{ .app }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* An address to listen on, on every interface of the family. */}}
{{- define "sallyport.listen" -}}
{{- if contains ":" .root.Values.listenAddress }}[{{ .root.Values.listenAddress }}]{{ else }}{{ .root.Values.listenAddress }}{{ end }}:{{ .port }}
{{- end }}

{{- define "sallyport.signingKeys" -}}
{{ .Values.signingKeys.secret | default (printf "%s-signing-keys" .Release.Name) }}
{{- end }}

{{- define "sallyport.verifyKeys" -}}
{{ .Values.signingKeys.verifyConfigMap | default (printf "%s-verify-keys" .Release.Name) }}
{{- end }}

{{- define "sallyport.etcdSecret" -}}
{{ .Values.etcd.tls.secret | default (printf "%s-etcd-client" .Release.Name) }}
{{- end }}

{{- define "sallyport.appSecret" -}}
{{ .Values.appListener.tlsSecret | default (printf "%s-apps" .Release.Name) }}
{{- end }}

{{/* Namespaces whose Pods are observed, as a JSON list; the release's own holds its supervisors. */}}
{{- define "sallyport.namespaces" -}}
{{ concat (list .Release.Namespace) .Values.workloads.namespaces | uniq | toJson }}
{{- end }}

{{/* Service accounts that prove a supervisor. */}}
{{- define "sallyport.sidecarAccounts" -}}
{{- $accounts := .Values.workloads.sidecarAccounts -}}
{{- if .Values.examples.dedicatedSidecar -}}
{{- $accounts = append $accounts (printf "%s/%s-example-dedicated" .Release.Namespace .Release.Name) -}}
{{- end -}}
{{ $accounts | uniq | toJson }}
{{- end }}
