// Performs one write of a plan on one server.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { jsonPatchType, type RawAnswer } from '../../../support/raw-http.ts';
import { freshName } from '../../answers.ts';
import type { Api } from '../api-case.ts';
import { applyAt } from '../applied.ts';
import { group } from '../fixtures.ts';
import type { Content, OwnershipStep, OwnershipWrites } from './ownership-plan.ts';

export interface OwnershipTarget {
  readonly api: Api;
  readonly name: string;
}

export function newTarget(api: Api): OwnershipTarget {
  return { api, name: freshName('rich') };
}

export function pathOf({ api, name }: OwnershipTarget, version = 'v1', subresource = ''): string {
  const path = `/apis/${group}/${version}/namespaces/${api.namespace}/riches/${name}`;
  return subresource === '' ? path : `${path}/${subresource}`;
}

function objectOf({ name }: OwnershipTarget, version: string, content: Content): object {
  const { metadata, ...rest } = content;
  return { apiVersion: `${group}/${version}`, kind: 'Rich', metadata: { ...metadata, name }, ...rest };
}

export function read(target: OwnershipTarget): Promise<RawAnswer> {
  return target.api.http.get(pathOf(target));
}

/** Sends the first write. */
export function begin(target: OwnershipTarget, { born, content }: OwnershipWrites): Promise<RawAnswer> {
  const query = { fieldManager: 'm1' };
  const body = objectOf(target, 'v1', content);
  const path = pathOf(target);
  return born === 'applied'
    ? applyAt(target.api, path, body, query)
    : target.api.http.post(path.slice(0, path.lastIndexOf('/')), body, { query });
}

export async function perform(target: OwnershipTarget, step: OwnershipStep): Promise<RawAnswer> {
  const { http } = target.api;
  const query = { fieldManager: step.manager };
  switch (step.do) {
    case 'apply': {
      const { version, subresource, force, dryRun, content } = step;
      const options = { ...query, force: String(force), ...(dryRun ? { dryRun: 'All' } : {}) };
      return applyAt(target.api, pathOf(target, version, subresource), objectOf(target, version, content), options);
    }
    case 'update': {
      const path = pathOf(target, step.version, step.subresource);
      const answer = await http.get(path);
      if (answer.status !== 200) {
        return answer;
      }
      const live = answer.body as Unstructured; // True: a GET with status 200 returns an object.
      const { content } = step;
      const metadata = { ...live.metadata, ...content.metadata };
      return http.put(path, { ...live, ...content, metadata }, { query });
    }
    case 'merge':
      return http.patch(pathOf(target, step.version, step.subresource), step.content, { query });
    case 'json': {
      const path = pathOf(target, step.version, step.subresource);
      return http.patch(path, step.operations, { query, type: jsonPatchType });
    }
    case 'forget':
      return http.patch(pathOf(target), { metadata: { managedFields: step.entries } }, { query });
  }
}
