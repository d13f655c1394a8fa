import type { TlsSource } from './tls-files.ts';

/** What a TLS socket of Node's own is given: the PEM files of a `TlsSource` as they are now. */
export interface TlsMaterial {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** For whoever speaks TLS without gRPC. `onChange` comes after the first complete reading too, and with each later one. */
export function followTlsMaterial(
  source: TlsSource,
  onChange: (material: TlsMaterial) => void = () => undefined,
): { current(): TlsMaterial | undefined; stop(): void } {
  let ca: Buffer | undefined;
  let identity: { readonly certificate: Buffer; readonly privateKey: Buffer } | undefined;
  let material: TlsMaterial | undefined;

  function update(): void {
    if (ca === undefined || identity === undefined) return;
    material = { ca, cert: identity.certificate, key: identity.privateKey };
    onChange(material);
  }

  // A change tells the identity first, then the CA: for a moment the two may be of different readings, each good by itself.
  const onCa: Parameters<TlsSource['addCaCertificateListener']>[0] = (told) => {
    ca = told?.caCertificate;
    update();
  };
  const onIdentity: Parameters<TlsSource['addIdentityCertificateListener']>[0] = (told) => {
    identity = told ?? undefined;
    update();
  };
  source.addIdentityCertificateListener(onIdentity);
  source.addCaCertificateListener(onCa);
  return {
    current: () => material,
    stop() {
      source.removeCaCertificateListener(onCa);
      source.removeIdentityCertificateListener(onIdentity);
    },
  };
}
