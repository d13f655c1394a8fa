import { describe } from 'vitest';
import { findProgram, INSTALL_CHROMIUM } from '../first-run/browser.ts';

const isRequired = process.env.SALLYPORT_REQUIRE === 'all';
const isMissing = (await findProgram('chromium')) === undefined;

/** `describe` for what needs a real browser: without one it is skipped by a name that says what to install, or fails. */
export function describeBrowser(name: string, body: () => void): void {
  describe.skipIf(isMissing && !isRequired)(isMissing ? `${name} (${INSTALL_CHROMIUM})` : name, body);
}
