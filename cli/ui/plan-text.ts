// The plan of a pasted change. Only reads and dry runs are sent.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toError } from '@capi-serverless/reconciler';
import { defaultNamespace } from '../../local/manifests.ts';
import { UsageError } from '../../local/usage-error.ts';
import { planOnce } from '../plan/plan-once.ts';

interface PastedChange {
  readonly text: string;
  readonly reconciler: string;
}

/** Returns what `plan RECONCILER --files` prints, or why it cannot plan. */
export async function planPasted({ text, reconciler }: PastedChange, kubeconfig: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capi-plan-'));
  const printed: string[] = [];
  try {
    const file = path.join(folder, 'pasted.yaml');
    await writeFile(file, text, { mode: 0o600 });
    const source = { from: 'both', kubeconfig, files: [file], namespace: defaultNamespace } as const;
    const options = { source, reconciler, callHooks: false, output: 'text', failOn: [] } as const;
    await planOnce(options, line => printed.push(line));
    return printed.join('');
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      return `${toError(thrown).message.replaceAll(`${folder}${path.sep}`, '')}\n`;
    }
    throw thrown;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
