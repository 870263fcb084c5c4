// The conformance suite of Kubernetes API servers. A real kube-apiserver and the embedded server pass the same cases.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declareMissing } from '../../support/describe-part.ts';
import type { Api, Case } from './api-case.ts';
import { applyCases } from './cases/apply.ts';
import { applyStatusCases } from './cases/apply-status.ts';
import { bodyCases } from './cases/bodies.ts';
import { clientNodeCases } from './cases/client-node.ts';
import { concurrencyCases } from './cases/concurrency.ts';
import { creationCases } from './cases/creation.ts';
import { definitionCases, nameCases } from './cases/definitions.ts';
import { deletionCases } from './cases/deletion.ts';
import { dryRunCases, dryRunShapeCases } from './cases/dry-runs.ts';
import { eventCases, eventShapeCases } from './cases/events.ts';
import { garbageCases } from './cases/garbage.ts';
import { kubectlCases } from './cases/kubectl.ts';
import { kubectlBuiltInCases } from './cases/kubectl-built-ins.ts';
import { listCases } from './cases/lists.ts';
import { patchCases } from './cases/merge-and-json-patches.ts';
import { optionCases } from './cases/options.ts';
import { ratchetingCases } from './cases/ratcheting.ts';
import { refusalCases } from './cases/refusals.ts';
import { representationCases } from './cases/representations.ts';
import { ruleCases } from './cases/rules.ts';
import { kubectlScaleCases, scaleCases } from './cases/scale.ts';
import { schemaChangeCases } from './cases/schema-changes.ts';
import { schemaCases } from './cases/schemas.ts';
import { statusCases } from './cases/status.ts';
import { watchCases } from './cases/watches.ts';
import { kubectlProblem } from './kubectl.ts';
import { type ApiServerSubject, prepare } from './subject.ts';
import { held } from './tier.ts';

const cases: readonly Case[] = [
  ...garbageCases,
  ...kubectlCases,
  ...kubectlBuiltInCases,
  ...kubectlScaleCases,
  ...definitionCases,
  ...creationCases,
  ...refusalCases,
  ...concurrencyCases,
  ...statusCases,
  ...patchCases,
  ...schemaCases,
  ...ruleCases,
  ...deletionCases,
  ...listCases,
  ...eventCases,
  ...watchCases,
  ...schemaChangeCases,
  ...representationCases,
  ...dryRunCases,
  ...ratchetingCases,
  ...applyCases,
  ...applyStatusCases,
];

/** A real garbage collector discovers a new kind within 30 s. */

/** Declares the suite for one server. It opens the server once and closes it at the end. */
export function apiServerConformance(name: string, open: () => Promise<ApiServerSubject>): void {
  it('holds exactly the one-liners that a small server must pass', () => {
    expect(cases.map(one => one.id).toSorted()).toEqual(held.toSorted());
  });

  describe(`Kubernetes API: ${name}`, { concurrent: true }, () => {
    let subject: ApiServerSubject | undefined;
    let api: Api | undefined;

    beforeAll(async () => {
      subject = await open();
      api = await prepare(subject);
    });

    afterAll(async () => {
      await subject?.close();
    });

    const ask = (): Api => {
      if (api === undefined) {
        throw new Error('The server was not opened');
      }
      return api;
    };

    const kubectl = kubectlProblem();
    for (const { id, says, needs, run } of cases) {
      if (needs === 'kubectl' && kubectl !== undefined) {
        declareMissing(`${id}: ${says}`, kubectl);
      } else {
        it(`${id}: ${says}`, () => run(ask()));
      }
    }
    for (const [says, run] of [
      ...bodyCases,
      ...dryRunShapeCases,
      ...eventShapeCases,
      ...optionCases,
      ...nameCases,
      ...scaleCases,
    ]) {
      it(says, () => run(ask()));
    }
    for (const [says, run] of clientNodeCases) {
      it(`client-node ${says}`, () => run(ask()));
    }
  });
}
