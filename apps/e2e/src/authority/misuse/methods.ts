import * as wire from '@sallyport/wire';
import type { AnyMethod } from './attempt.ts';

/** Every method of every service that the proto files declare, however it is called there. */
export interface Declared extends AnyMethod {
  readonly service: string;
  readonly name: string;
}

interface Described extends AnyMethod {
  readonly requestSerialize: (value: never) => Buffer;
}

/** Found by looking, not by a list: a new service or method is here as soon as it is generated. */
export const declared: readonly Declared[] = Object.entries(wire)
  .filter(([name]) => /V\d+$/.test(name))
  .flatMap(([, generated]) => Object.entries(generated as Readonly<Record<string, unknown>>))
  .filter(([name]) => name.endsWith('ServiceService'))
  .flatMap(([service, methods]) =>
    Object.values(methods as Readonly<Record<string, Described>>).map(({ path, requestStream, responseStream }) => ({
      service: service.slice(0, -'Service'.length),
      name: path.slice(path.lastIndexOf('/') + 1),
      path,
      requestStream,
      responseStream,
    })),
  );
