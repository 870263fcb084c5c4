// The policies on a real kube-apiserver: it compiles all expressions, and decides as the rules of Cluster API's webhooks.
import { type JsonObject, sameJson, valueAt } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { policyChecks } from '../../../infra/kubernetes/admission-policies/checks.ts';
import type { PolicyCheck } from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { createRandom } from '../../simulation/engine/random.ts';
import { describeReal } from '../../support/describe-real.ts';
import {
  checksOf,
  errorsOfRules,
  isDefaulted,
  isTextOf,
  type PolicySetting,
  policySettings,
  rulesOfKind,
} from '../../support/policies/expected-verdict.ts';
import {
  mixedWrites,
  type PolicyWrite,
  singleWrites,
  undefaultedWrites,
  writtenKinds,
} from '../../support/policies/written-objects.ts';
import type { RawAnswer } from '../../support/raw-http.ts';
import { defaultsNamespace, type PolicyServer, startPolicyServer, undefaultedNamespace } from './policy-server.ts';

const mostWrites = 32;
const mixedCount = 25;

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

type Verdict = 'accepted' | 'refused by the schema' | { readonly policy: string; readonly message: string };

function verdictOf({ status, body, text }: RawAnswer): Verdict {
  if (status < 300) {
    return 'accepted';
  }
  const said = String(valueAt(body, 'message'));
  const [, policy, message] = /ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request: (.*)$/s.exec(said) ?? [];
  if (policy === undefined || message === undefined) {
    expect([422, 400], text).toContain(status);
    return 'refused by the schema';
  }
  return { policy, message };
}

const fieldOf = ({ message }: PolicyCheck): string => message.slice(0, message.indexOf(': '));

/** The check that refused the write, if its message is as the table says. */
function refusingCheck(message: string, write: PolicyWrite, setting: PolicySetting): PolicyCheck | undefined {
  const errors = errorsOfRules(write, setting);
  const candidates = checksOf(write, setting).filter(check => message.startsWith(fieldOf(check)));
  return (
    candidates.find(check => isTextOf(message, errors, check)) ??
    candidates.find(({ verdictDiffers }) => verdictDiffers !== undefined)
  );
}

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
      expect(policies.length).toBeGreaterThan(20);
      expect(policies.flatMap(each => valueAt(each, 'status.typeChecking.expressionWarnings') ?? [])).toEqual([]);
    });

    it('refuse what the rules refuse, with their messages, and accept all else', async () => {
      const found = new Set<PolicyCheck>();
      const writes = policySettings.flatMap(setting =>
        writtenKinds
          .filter(kind => setting === policySettings[0] || policyChecks.some(each => each.kind === kind && each.state))
          .flatMap(kind => [...singleWrites(kind), ...mixedWrites(kind, mixedCount, createRandom(kind).next)])
          .map(write => ({ write, setting })),
      );
      const answers = await eachOf(writes, ({ write, setting }) => server.tryWrite(setting.name, write));
      const different = writes.flatMap(({ write, setting }, index) => {
        const verdict = verdictOf(answers[index] as RawAnswer); // True: each write has an answer.
        const errors = errorsOfRules(write, setting);
        const at = `${setting.name}: ${JSON.stringify(write)}`;
        if (verdict === 'refused by the schema') {
          return [];
        }
        if (verdict === 'accepted') {
          return errors.length === 0 ? [] : [`accepted, but ${errors.join('; ')}: ${at}`];
        }
        const check = refusingCheck(verdict.message, write, setting);
        if (check !== undefined) {
          found.add(check);
        }
        return check === undefined ? [`${verdict.message}, but (${errors.join('; ')}): ${at}`] : [];
      });
      expect(different).toEqual([]);
      const unseen = policyChecks.filter(check => !found.has(check) && check.state !== 'undefaulted');
      expect(unseen.map(({ kind, rule, message }) => `${kind}: ${rule}: ${message}`)).toEqual([]);
    });

    it('refuse objects without defaults where nothing sets them', async () => {
      const demands = policyChecks.filter(({ state }) => state === 'undefaulted');
      const [setting] = policySettings;
      const kinds = writtenKinds.filter(kind => demands.some(each => each.kind === kind));
      const writes = kinds.flatMap(singleWrites);
      const answers = await eachOf(writes, write => server.tryWrite(undefaultedNamespace, write));
      const different = writes.filter((write, index) => {
        const verdict = verdictOf(answers[index] as RawAnswer); // True: each write has an answer.
        const own = demands.filter(({ kind }) => kind === write.kind);
        const isMissing = own.some(check => setting !== undefined && !isDefaulted(write, check, setting));
        const isRefused = typeof verdict === 'object' && verdict.policy.includes('-undefaulted.');
        return verdict === 'accepted' ? isMissing : isRefused && !isMissing;
      });
      expect(different).toEqual([]);
    });

    it('set the defaults of the rules', async () => {
      const [setting] = policySettings;
      const writes = writtenKinds.flatMap(undefaultedWrites);
      const answers = await eachOf(writes, write => server.tryWrite(defaultsNamespace, write));
      const different = writes.flatMap((write, index) => {
        const answer = answers[index] as RawAnswer; // True: each write has an answer.
        const { kind, object, old } = write;
        const result = setting && rulesOfKind(kind).defaults?.({ object, old, gates: setting.gates });
        if (answer.status >= 300) {
          return result?.ok === false ? [] : [`${answer.text}: ${JSON.stringify(write)}`];
        }
        const expected = result === undefined || !result.ok ? undefined : result.value;
        const isSame = ['spec', 'metadata.labels'].every(path =>
          sameJson(valueAt(expected, path), valueAt(answer.body, path)),
        );
        return isSame ? [] : [`${JSON.stringify(answer.body)} instead of ${JSON.stringify(expected)}`];
      });
      expect(different).toEqual([]);
    });
  },
  { needs: 'controllers' },
);
