{{/* What every Pod of ours has. */}}
{{- define "sallyport.podSettings" -}}
enableServiceLinks: false
{{ include "sallyport.podSecurity" . }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- include "sallyport.named" . | nindent 2 }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .root.Values.topologySpread }}
topologySpreadConstraints:
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "sallyport.selector" $ | nindent 8 }}
        {{- with $.mark }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Names as a list of objects with a name. */}}
{{- define "sallyport.named" -}}
{{- $named := list -}}
{{- range . }}{{ $named = append $named (dict "name" .) }}{{ end -}}
{{ toYaml $named }}
{{- end }}

{{/* Files of Secrets belong to the group: readable by this user, and by no other. */}}
{{- define "sallyport.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "sallyport.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* Every app serves these on its admin port. A process that cannot start says so within a minute. */}}
{{- define "sallyport.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: {{ .admin }} }
  periodSeconds: 2
  failureThreshold: 30
livenessProbe:
  httpGet: { path: /livez, port: {{ .admin }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: {{ .admin }} }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
{{- end }}

{{/* Settings that an app takes more than once. */}}
{{- define "sallyport.lists" -}}
["gateway", "namespace", "supervisor-account", "workspace"]
{{- end }}

{{/* One container. `app`, `args` (a list), `ports` (name → number), `mounts` (name → path), `resources`. */}}
{{- define "sallyport.container" -}}
{{- $given := list "log-level" "trust-domain" "admin-listen" "internal-ca-file" "internal-cert-file" "internal-key-file" }}
{{- range .args }}
{{- $name := regexFind "^--[^=]+" . | trimPrefix "--" }}
{{- if and (has $name $given) (not (has $name (fromJsonArray (include "sallyport.lists" $)))) }}
{{- fail (printf "\n  - --%s is given to the %s twice, which it refuses: the chart gives it; take it out of extraArgs, and set the value that it stands for\n" $name $.app) }}
{{- end }}
{{- $given = append $given $name }}
{{- end -}}
- name: {{ .app }}
  image: {{ include "sallyport.image" . | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args:
    - --log-level={{ .root.Values.logLevel }}
    - --trust-domain={{ .root.Values.trustDomain }}
    - --admin-listen={{ include "sallyport.listen" (dict "root" .root "port" .admin) }}
    - --internal-ca-file=/var/run/sallyport/internal/ca.crt
    - --internal-cert-file=/var/run/sallyport/internal/tls.crt
    - --internal-key-file=/var/run/sallyport/internal/tls.key
  {{- range .args }}
    - {{ . | quote }}
  {{- end }}
  ports:
    - { name: admin, containerPort: {{ .admin }} }
  {{- range $name, $port := .ports }}
    - { name: {{ $name }}, containerPort: {{ $port }} }
  {{- end }}
  {{- include "sallyport.probes" . | nindent 2 }}
  {{- include "sallyport.containerSecurity" . | nindent 2 }}
  {{- with .resources }}
  resources: {{- toYaml . | nindent 4 }}
  {{- end }}
  volumeMounts:
    - { name: internal, mountPath: /var/run/sallyport/internal, readOnly: true }
  {{- range $name, $path := .mounts }}
    - { name: {{ $name }}, mountPath: {{ $path }}, readOnly: true }
  {{- end }}
{{- end }}

{{/* Whole directories, never a subPath: only so do files change under a running process. */}}
{{- define "sallyport.secretVolume" -}}
- name: {{ .name }}
  secret: { secretName: {{ .secret }}, defaultMode: 0440 }
{{- end }}

{{- define "sallyport.tokenVolume" -}}
- name: token
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: { audience: sallyport-gateway, path: token, expirationSeconds: 3600 }
{{- end }}

{{- define "sallyport.budget" -}}
{{- if .root.Values.podDisruptionBudgets }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "sallyport.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "sallyport.selector" . | nindent 6 }}
      {{- with .mark }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
{{- end }}
{{- end }}

{{- define "sallyport.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "sallyport.labels" . | nindent 4 }}
automountServiceAccountToken: false
{{- end }}
