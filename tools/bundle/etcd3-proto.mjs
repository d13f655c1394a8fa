import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * etcd3 reads its .proto files from beside its own code when it is loaded; in a bundle there is no such place. So the bundle holds
 * what they say. If a new version loads them in another way, the bundle is refused rather than broken.
 */
export const etcd3Proto = {
  name: 'etcd3-proto',
  setup(build) {
    build.onLoad({ filter: /[\\/]etcd3[\\/]lib[\\/]connection-pool\.js$/ }, ({ path }) => {
      const parts = readFileSync(path, 'utf8').split(LOADS);
      if (parts.length !== 2) throw new Error(`${path} no longer reads its .proto files as we know it to`);
      return { contents: parts.join(`proto_loader_1.fromJSON)(${JSON.stringify(descriptorOf(path))}, {`) };
    });
  },
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of their source.
const LOADS = 'proto_loader_1.loadSync)(`${__dirname}/../proto/rpc.proto`, {';

/** By the parser that etcd3 itself would use, and with its setting for names. */
function descriptorOf(path) {
  const loader = createRequire(path).resolve('@grpc/proto-loader');
  const { Root } = createRequire(loader)('protobufjs');
  return new Root().loadSync(join(dirname(path), '../proto/rpc.proto'), { keepCase: true }).toJSON();
}
