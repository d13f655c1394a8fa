import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether node_modules already is what package-lock.json says, by npm's own record of what it installed: after an `npm ci` by
 * hand there is nothing to do. Any doubt means no; the price is one more install.
 */
export function isInstalled(root) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = present[path];
    if (found === undefined) return entry.optional === true && !isForHere(entry);
    return found.version === entry.version && found.integrity === entry.integrity && found.resolved === entry.resolved;
  });
}

/** A binary for this machine. One libc of two is left out on every machine, so packages that name theirs prove nothing. */
function isForHere({ os, cpu, libc }) {
  return libc === undefined && os?.includes(process.platform) === true && cpu?.includes(process.arch) === true;
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
