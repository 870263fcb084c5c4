// `npm run extension`: runs the extension server alone. Prints the manifests, then one line per call, until Ctrl-C.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { handlers } from './handlers.ts';
import { toManifests } from './manifests.ts';
import type { ExtensionResponse } from './protocol.ts';
import { startExtensionServer } from './server.ts';

const { values } = parseArgs({
  options: {
    address: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    name: { type: 'string', default: 'example' },
    namespace: { type: 'string', default: 'default' },
  },
});

function toLine(path: string, { status, message = '', retryAfterSeconds = 0 }: ExtensionResponse): string {
  const wait = retryAfterSeconds === 0 ? '' : `, again in ${retryAfterSeconds} s`;
  return `${path.split('/').slice(3).join('/')}: ${status}${wait}${message === '' ? '' : `: ${message}`}\n`;
}

const server = await startExtensionServer({
  handlers,
  address: values.address,
  port: Number(values.port),
  onAnswer: (path, response) => process.stderr.write(toLine(path, response)),
});
const { name, namespace } = values;
const manifests = toManifests({ url: server.url, authority: server.authority(), name, namespace });
process.stdout.write(manifests.map(manifest => stringify(manifest)).join('---\n'));
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await server.stop();
