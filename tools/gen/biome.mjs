import { readJson } from './json.mjs';
import { borderOverrides } from './borders.mjs';

/** biome.json with the borders as the layer table has them; everything else in it is written by hand and stays. */
export function biomeFile() {
  const config = readJson('biome.json');
  const byHand = config.overrides.filter(({ includes }) => !includes.some(isProject));
  return { 'biome.json': { ...config, overrides: [...borderOverrides(), ...byHand] } };
}

const isProject = (pattern) => /^(libs|apps)\//.test(pattern);
