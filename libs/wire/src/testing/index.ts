export { createTestAuthority, type TestAuthority } from './certificates.ts';
