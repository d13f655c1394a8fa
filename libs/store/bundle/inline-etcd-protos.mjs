import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const SOURCE = /etcd3[\\/]lib[\\/]connection-pool\.js$/;
const LOADING = /\(0, (\w+)\.loadSync\)\(`\$\{__dirname\}\/\.\.\/proto\/rpc\.proto`, /;

/**
 * For esbuild: etcd3 reads `../proto/rpc.proto` beside itself at run time, which is nowhere in a bundle. This plugin reads it
 * at build time and puts the parsed form in its place, so that a bundle stays one file. Fails the build when etcd3 changes.
 */
export const inlineEtcdProtos = {
  name: 'inline-etcd-protos',
  setup({ onLoad }) {
    onLoad({ filter: SOURCE }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!LOADING.test(source)) throw new Error(`${path} no longer loads its protos in the way that is known`);
      const json = JSON.stringify(parsedProtos(path));
      return { contents: source.replace(LOADING, (_, loader) => `(0, ${loader}.fromJSON)(${json}, `), loader: 'js' };
    });
  },
};

/** With the parser and in the form that etcd3's own proto-loader would use. */
function parsedProtos(path) {
  const loader = createRequire(createRequire(path).resolve('@grpc/proto-loader'));
  const { Root } = loader('protobufjs');
  const root = new Root();
  root.loadSync(join(dirname(path), '../proto/rpc.proto'), { keepCase: true });
  return root.resolveAll().toJSON();
}
