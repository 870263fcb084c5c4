// The policies on a real kube-apiserver: it compiles all expressions, and decides as the rules of Cluster API's webhooks.
import { type JsonObject, sameJson, valueAt } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { policyChecks } from '../../../infra/kubernetes/admission-policies/checks.ts';
import { literal } from '../../../infra/kubernetes/admission-policies/expressions.ts';
import {
  type PolicyCheck,
  type PolicyKind,
  policyKinds,
  policyVersion,
} from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { createRandom } from '../../simulation/engine/random.ts';
import { describeReal } from '../../support/describe-real.ts';
import {
  checksOf,
  defaultSetting,
  errorsOfRules,
  isNamedAcceptance,
  isNamedRefusal,
  isTextOf,
  type PolicySetting,
  policySettings,
  withDefaults,
} from '../../support/policies/expected-verdict.ts';
import {
  mixedWrites,
  type PolicyWrite,
  singleWrites,
  undefaultedWrites,
  writtenKinds,
} from '../../support/policies/written-objects.ts';
import type { RawAnswer } from '../../support/raw-http.ts';
import { generatedWrites } from './generated-writes.ts';
import { anInvalid, defaultsNamespace, type PolicyServer, startPolicyServer } from './policy-server.ts';

const mostWrites = 32;
const mixedCount = 25;
const generatedCount = 60;

/** Runs some at a time, and returns the results in order. */
async function eachOf<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await run(items[index] as T); // True: the index is within the list.
    }
  };
  await Promise.all(Array.from({ length: mostWrites }, worker));
  return results;
}

type Verdict =
  | 'accepted'
  | 'refused by the schema'
  | 'refused by defaults'
  | { readonly policy: string; readonly message: string };

function verdictOf({ status, body, text }: RawAnswer): Verdict {
  if (status < 300) {
    return 'accepted';
  }
  const said = String(valueAt(body, 'message'));
  const [, policy, message] =
    /ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request: (.*)$/s.exec(said) ?? [];
  if (policy !== undefined && message !== undefined) {
    return { policy, message };
  }
  if (/ policy '[^']+' with binding '[^']+' denied request: expression /.test(` ${said}`)) {
    return 'refused by defaults';
  }
  expect([422, 400], text).toContain(status);
  return 'refused by the schema';
}

/** The checks that may have this message, if it is as the table says. Several have texts that depend on the object alone. */
function refusingChecks(message: string, write: PolicyWrite, setting: PolicySetting): readonly PolicyCheck[] {
  const errors = errorsOfRules(write, setting);
  return checksOf(write, setting)
    .filter(check => maySay(check, message))
    .filter(check => isTextOf(message, errors, check) || isNamedRefusal(write, check, setting));
}

function maySay({ message, messageExpression = '' }: PolicyCheck, said: string): boolean {
  const [, field = '', detail = ''] = /^(\S+): [\w ]+: (.*)$/.exec(message) ?? [];
  const isOfObject = messageExpression !== '' && !messageExpression.endsWith(literal(detail));
  return [': ', '['].some(next => said.startsWith(`${field}${next}`)) && (isOfObject || said.endsWith(detail));
}

function haveSameChecks(kind: PolicyKind, ...settings: readonly PolicySetting[]): boolean {
  const [one, other] = settings.map(setting => checksOf({ kind }, setting));
  return one?.every((check, index) => check === other?.[index]) === true && one.length === other?.length;
}

interface Compared {
  /** The checks that may have refused the write. */
  readonly checks?: readonly PolicyCheck[];
  /** How the verdict differs from that of the rules, without a name for it. */
  readonly problem?: string;
}

function compare(write: PolicyWrite, setting: PolicySetting, verdict: Verdict): Compared {
  const errors = errorsOfRules(write, setting);
  const at = `${setting.name}: ${JSON.stringify(write).slice(0, 2000)}`;
  if (verdict === 'refused by the schema') {
    return {};
  }
  if (verdict === 'accepted') {
    const missed = errors.filter(error => !isNamedAcceptance(write, error));
    return missed.length === 0 ? {} : { problem: `accepted, but ${missed.join('; ')}: ${at}` };
  }
  const message = typeof verdict === 'string' ? verdict : verdict.message;
  const checks = refusingChecks(message, write, setting);
  return checks.length === 0 ? { problem: `${message}, but (${errors.join('; ')}): ${at}` } : { checks };
}

interface Defaulted {
  readonly write: PolicyWrite;
  /** The object breaks no schema once it has its defaults. */
  readonly fitsSchema: boolean;
}

/** Compares an answer with the defaults of the rules, and with their verdict about the object that has them. */
function compareDefaults({ write, fitsSchema }: Defaulted, answer: RawAnswer): string | undefined {
  const verdict = verdictOf(answer);
  const at = `${answer.text.slice(0, 2000)} for ${JSON.stringify(write).slice(0, 2000)}`;
  const object = withDefaults(write, defaultSetting);
  if (object === undefined) {
    return verdict === 'accepted' ? `accepted, but the rules refuse: ${at}` : undefined;
  }
  if (verdict === 'accepted') {
    // An API server drops an empty map of labels.
    const isSame = ['spec', 'metadata.labels'].every(path =>
      sameJson(valueAt(object, path) ?? {}, valueAt(answer.body, path) ?? {}),
    );
    return (
      compare({ ...write, object }, defaultSetting, verdict).problem ?? (isSame ? undefined : `other defaults: ${at}`)
    );
  }
  const hasLongName = write.kind === 'MachineSet' && String(valueAt(object, 'metadata.name')).length > 63;
  if (hasLongName || verdict === 'refused by the schema') {
    return hasLongName || !fitsSchema ? undefined : `refused: ${at}`;
  }
  return compare({ ...write, object }, defaultSetting, verdict).problem;
}

const pathOf = (kind: 'Machine' | 'MachineSet'): string =>
  `/apis/${policyKinds[kind].group}/${policyVersion}/namespaces/${defaultsNamespace}/${policyKinds[kind].plural}/invalid`;

describeReal(
  'policies on kube-apiserver',
  () => {
    let server: PolicyServer;

    beforeAll(async () => {
      server = await startPolicyServer();
    });

    afterAll(() => server?.stop());

    it('compile without warnings', async () => {
      const list = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
      const policies = await vi.waitFor(
        async () => {
          const { body } = await server.http.get(list);
          const items = valueAt(body, 'items') as readonly JsonObject[]; // True: it is a list of objects.
          const pending = items.filter(
            each => valueAt(each, 'status.observedGeneration') !== valueAt(each, 'metadata.generation'),
          );
          expect(pending.map(each => valueAt(each, 'metadata.name'))).toEqual([]);
          return items;
        },
        { timeout: 300_000, interval: 200 },
      );
      expect(policies.length).toBeGreaterThan(15);
      expect(policies.flatMap(each => valueAt(each, 'status.typeChecking.expressionWarnings') ?? [])).toEqual([]);
    });

    it('refuse what the rules refuse, with their messages, and accept all else', async () => {
      const writes = policySettings.flatMap((setting, index) =>
        writtenKinds
          .filter(kind => !policySettings.slice(0, index).some(other => haveSameChecks(kind, setting, other)))
          .flatMap(kind => [
            ...singleWrites(kind),
            ...mixedWrites(kind, mixedCount, createRandom(kind).next),
            ...generatedWrites(kind, generatedCount),
          ])
          .map(write => ({ write, setting })),
      );
      const answers = await eachOf(writes, ({ write, setting }) => server.tryWrite(setting.name, write));
      const compared = writes.map(
        ({ write, setting }, index) => compare(write, setting, verdictOf(answers[index] as RawAnswer)), // True: each write has an answer.
      );
      expect(compared.flatMap(({ problem }) => problem ?? [])).toEqual([]);
      const found = new Set(compared.flatMap(({ checks = [] }) => checks));
      const unseen = policyChecks.filter(check => !found.has(check));
      expect(unseen.map(({ kind, rule, message }) => `${kind}: ${rule}: ${message}`)).toEqual([]);
    });

    it('set the defaults of the rules, and then refuse what the rules refuse', async () => {
      const fitting = writtenKinds.flatMap(undefaultedWrites).map(write => ({ write, fitsSchema: true }));
      const random = writtenKinds.flatMap(kind => [
        ...generatedWrites(kind, generatedCount),
        ...mixedWrites(kind, mixedCount, createRandom(`defaults of ${kind}`).next),
      ]);
      const writes = [...fitting, ...random.map(write => ({ write, fitsSchema: false }))];
      const answers = await eachOf(writes, ({ write }) => server.tryWrite(defaultsNamespace, write));
      const problems = writes.map((each, index) => compareDefaults(each, answers[index] as RawAnswer)); // True: each write has an answer.
      expect(problems.filter(problem => problem !== undefined)).toEqual([]);
    });

    it('check each write of the main resource, as webhooks do, also of metadata alone', async () => {
      const answer = await server.http.patch(pathOf('Machine'), { metadata: { labels: { other: 'label' } } });
      expect(answer.status).toBe(422);
      expect(valueAt(answer.body, 'message')).toMatch(/denied request: spec\.bootstrap: Required value: /);
      const mended = { metadata: { labels: { other: 'label' } }, spec: { bootstrap: { dataSecretName: 'data' } } };
      const options = { query: { dryRun: 'All' } };
      expect((await server.http.patch(pathOf('Machine'), mended, options)).status).toBe(200);
    });

    it('check no status and no scale, as webhooks do', async () => {
      const status = await server.http.patch(`${pathOf('Machine')}/status`, { status: { phase: 'Running' } });
      expect(status.status, status.text).toBe(200);
      const scale = await server.http.patch(`${pathOf('MachineSet')}/scale`, { spec: { replicas: 3 } });
      expect(scale.status, scale.text).toBe(200);
    });

    it.each(['Machine', 'MachineSet'] as const)(
      'let an invalid %s lose its finalizer once it is being deleted, also by an update without the time of the deletion',
      async kind => {
        expect((await server.http.delete(pathOf(kind))).status).toBe(200);
        const { body } = await server.http.get(pathOf(kind));
        const object = anInvalid(kind);
        const metadata = {
          name: 'invalid',
          namespace: defaultsNamespace,
          resourceVersion: valueAt(body, 'metadata.resourceVersion'),
        };
        const answer = await server.http.put(pathOf(kind), { ...object, metadata });
        expect(answer.status, answer.text).toBe(200);
        expect((await server.http.get(pathOf(kind))).status).toBe(404);
      },
    );
  },
  { needs: 'controllers' },
);
