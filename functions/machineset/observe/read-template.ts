// Reads a template of the MachineSet.
import { type Reads, toDisplayName } from '@capi-serverless/apimachinery';
import { type ContractReference, isDefined } from '../../../shared/api/cluster/reader.ts';
import type { TemplateRead } from '../seen.ts';
import { readObject } from './read-object.ts';

/** An object that is no template is not read. */
export async function readTemplate(ref: ContractReference, namespace: string, ask: Reads): Promise<TemplateRead> {
  if (isDefined(ref) && !ref.kind.endsWith('Template')) {
    return { state: 'noTemplate', ref };
  }
  const read = await readObject(ref, namespace, ask);
  switch (read.state) {
    case 'undefined':
      return read;
    case 'found':
      return { state: 'found', ref, object: read.object };
    case 'failed': {
      const place = `${ref.kind} ${toDisplayName({ namespace, name: ref.name })}`;
      const problem = read.isAsked ? `failed to retrieve ${place}: ${read.problem}` : read.problem;
      return { state: read.isMissing ? 'missing' : 'failed', ref, problem };
    }
  }
}
