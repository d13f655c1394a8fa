/** The release, as `--version` prints it; a test holds it equal to the root package.json, which a bundle cannot read. */
export const VERSION = '0.1.0';
