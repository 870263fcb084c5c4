// Reads a template of the deployment.
import type { Reads } from '@capi-serverless/apimachinery';
import type { ContractReference } from '../../../shared/api/cluster/reader.ts';
import { isDefined } from '../../../shared/api/cluster/reader.ts';
import { readReferenced } from '../../../shared/external/read-referenced.ts';
import type { DeploymentTemplate } from '../seen.ts';

/** An object that is no template is not read. It counts as existing. */
export async function readTemplate(ref: ContractReference, namespace: string, ask: Reads): Promise<DeploymentTemplate> {
  if (!isDefined(ref)) {
    return { state: 'undefined' };
  }
  if (!ref.kind.endsWith('Template')) {
    return { state: 'unread', ref };
  }
  const read = await readReferenced({ ref, namespace }, ask);
  switch (read.state) {
    case 'undefined':
      return read;
    case 'missing':
      return { state: 'missing', ref };
    case 'unreadable':
      return { state: 'failed', ref, problem: read.error };
    case 'found':
      return { state: 'found', ref, object: read.object };
  }
}
