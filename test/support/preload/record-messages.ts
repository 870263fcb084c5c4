// Loaded before the local run (`node --import`). It appends every request body for a queue to the file
// $CAPI_TEST_MESSAGES.
import { appendFileSync } from 'node:fs';
import { ClientRequest } from 'node:http';

const file = process.env['CAPI_TEST_MESSAGES'];

if (file !== undefined) {
  for (const method of ['write', 'end'] as const) {
    const original = ClientRequest.prototype[method];
    ClientRequest.prototype[method] = function record(this: ClientRequest, ...args: unknown[]) {
      const [chunk] = args;
      // Requests of the queue protocol have this header.
      if (this.hasHeader('x-amz-target') && (typeof chunk === 'string' || chunk instanceof Uint8Array)) {
        appendFileSync(file, `${Buffer.from(chunk).toString('utf8')}\n`);
      }
      return Reflect.apply(original, this, args);
    };
  }
}
