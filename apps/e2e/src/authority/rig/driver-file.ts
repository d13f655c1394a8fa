import { rename, writeFile } from 'node:fs/promises';

/**
 * Keeps the driver's static file as what is known now: one write after the other, each whole. Several supervisors begin at once,
 * and a list that is overtaken by an older one on its way to the file would leave somebody unknown for good.
 */
export function keepDriverFile(file: string, known: () => object): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(async () => {
      await writeFile(`${file}.next`, JSON.stringify(known()));
      await rename(`${file}.next`, file);
    });
    return last;
  };
}
