// The API server's conformance suite against the embedded server, which must make no mistakes of its own meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { writeKubeconfig } from '../../../infra/local/apiserver/http/kubeconfig.ts';
import { startApiServer } from '../../../infra/local/apiserver/server.ts';
import { type ApiServerSubject, apiServerConformance } from './suite.ts';

async function open(): Promise<ApiServerSubject> {
  const mistakes: unknown[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'capi-embedded-'));
  const server = await startApiServer({
    users: [{ name: 'guest', groups: [] }],
    onMistake: (error, what) => mistakes.push(what, error),
  });
  const kubeconfigPath = join(dir, 'kubeconfig');
  writeKubeconfig(kubeconfigPath, server.kubeconfig);
  return {
    url: server.url,
    caPem: server.caPem,
    token: server.token,
    guestToken: server.tokenOf('guest'),
    kubeconfigPath,
    async close() {
      await server.stop();
      rmSync(dir, { recursive: true });
      expect(mistakes).toEqual([]);
    },
  };
}

apiServerConformance('embedded', open);
