// Runs the example extension server for a local run, with the manifests that register it.

import type { Intent } from '@capi-serverless/apimachinery';
import { handlers } from '../examples/extension/handlers.ts';
import { toManifests } from '../examples/extension/manifests.ts';
import { startExtensionServer } from '../examples/extension/server.ts';

interface LocalExtension {
  /** The Secret with its certificate authority, and its ExtensionConfig. */
  readonly manifests: readonly Intent[];
  stop(): Promise<void>;
}

/** Listens on loopback at any free port. The server has its own certificate authority. */
export async function startExtension(): Promise<LocalExtension> {
  const server = await startExtensionServer({ handlers, address: '127.0.0.1', port: 0 });
  const { url, stop } = server;
  return {
    manifests: toManifests({ url, authority: server.authority(), name: 'example', namespace: 'default' }),
    stop,
  };
}
