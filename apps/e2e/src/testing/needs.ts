import { describe } from 'vitest';
import { findProgram } from '../first-run/find-program.ts';

const isRequired = process.env.SALLYPORT_REQUIRE === 'all';

/** `describe` for what needs a program of the system: without it skipped by a name that says what to install, or failed. */
async function needs(program: string, debianPackage = program): Promise<(name: string, body: () => void) => void> {
  const isMissing = (await findProgram(program)) === undefined;
  return (name, body) =>
    describe.skipIf(isMissing && !isRequired)(isMissing ? `${name} (apt-get install -y ${debianPackage})` : name, body);
}

export const describeChromium = await needs('chromium');
export const describeCurl = await needs('curl');
export const describePrometheus = await needs('promtool', 'prometheus');
export const describeKubectl = await needs('kubectl', 'kubernetes-client');
