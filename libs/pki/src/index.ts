export { type Authority, type AuthorityOptions, createAuthority, loadAuthority } from './authority.ts';
export { type KeptAuthority, type KeptCertificate, keepAuthority, keepCertificate } from './keep.ts';
export type { Issued, LeafOptions, Usage } from './leaf.ts';
export type { CertificateNames } from './names.ts';
export { isDue, LEAF_DAYS_MAX } from './validity.ts';
