// The policies of the functions' roles, evaluated by an independent IAM engine. The packaged functions of a deployment
// run with the environment of its template. Their role allows each call to SQS, Secrets Manager, KMS and CloudWatch Logs
// that they make, and nothing else.
import { beforeAll, describe, expect, it } from 'vitest';
import { findIamEngine } from '../iam-engine/iam-engine.ts';
import { describePart } from '../support/describe-part.ts';
import { toList } from '../support/iam.ts';
import type { RecordedCall } from '../support/recorded-aws.ts';
import { describeRotation, itemsOf, rotationOf } from '../support/rotation.ts';
import { type DeploymentRun, runDeployment } from './policies/run-deployment.ts';
import { type Grant, reasonsFor, toUnusedReason } from './policies/unused-grants.ts';

const key = (id: string): string =>
  `arn:aws:kms:us-east-1:000000000000:key/${id.repeat(8)}-1111-2222-3333-444444444444`;
const secret = (name: string): string => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}-AbCdEf`;
const certificate = { extensionClientCertificateSecret: secret('certificate') };

const deployments = [
  {
    reason: 'every secret has a key of its own, and each reconciler a queue',
    given: {
      name: 'capi-keys',
      apiServer: { kind: 'kubeconfig', secretArn: secret('kubeconfig'), kmsKeyArn: key('a') },
      sources: { windowed: true, auditWebhook: { kmsKeyArn: key('b') } },
      settings: { ...certificate, extensionClientCertificateKmsKeyArn: key('c') },
      monitoring: { alarms: 'none' },
    },
  },
  {
    reason: 'the lowest price: reconcilers share a queue and a role',
    given: {
      name: 'capi-lean',
      apiServer: { kind: 'kubeconfig', secretArn: secret('kubeconfig') },
      sources: { windowed: true },
      plumbing: 'uncapped',
      layout: 'compact',
      settings: certificate,
      monitoring: { alarms: 'none' },
    },
  },
  {
    reason: 'an EKS cluster with access entries, encrypted queues, its audit log and the watch-forwarder',
    given: {
      name: 'capi-eks',
      apiServer: { kind: 'eks', cluster: 'mgmt' },
      sources: { windowed: true, auditLogOf: 'mgmt', forwarder: { kind: 'pod-identity', cluster: 'mgmt' } },
      settings: certificate,
      monitoring: { alarms: 'none' },
      kmsKeyArn: key('d'),
    },
  },
] as const;

const rotation = rotationOf(deployments.length);

const textOf = ({ action, resource }: Pick<RecordedCall, 'action' | 'resource'>): string => `${action} ${resource}`;

describePart(describeRotation('the policies of roles', rotation), findIamEngine(), {
  part: 'an IAM engine',
  declare: ({ evaluate }) => {
    describe.each(itemsOf(deployments, rotation))('$given.name: $reason', ({ given }) => {
      let run: DeploymentRun;
      let calls: readonly RecordedCall[];
      /** The functions that may make each call, in the order of `calls`. */
      let allowed: readonly (readonly string[])[];

      beforeAll(async () => {
        run = await runDeployment(given);
        calls = [...new Map(run.calls.map(call => [JSON.stringify(call), call])).values()];
        const roles = Object.fromEntries(
          [...run.statements].map(([name, statements]) => [name, [{ Version: '2012-10-17', Statement: statements }]]),
        );
        allowed = evaluate({ roles, calls });
      });

      it('allow every call that the functions make', () => {
        expect(new Set(calls.map(({ caller }) => caller))).toEqual(new Set(run.statements.keys()));
        const refused = calls.filter(({ caller }, index) => allowed[index]?.includes(caller) !== true);
        expect(refused.map(call => `${call.caller}: ${textOf(call)}`)).toEqual([]);
      });

      it('allow no call of another function, unless they list it with a reason', () => {
        const made = new Set(calls.map(call => `${call.caller} ${textOf(call)}`));
        const strange = calls.flatMap((call, index) =>
          (allowed[index] ?? [])
            .filter(name => !made.has(`${name} ${textOf(call)}`))
            .map((name): Grant => ({ functionName: name, action: call.action, resource: call.resource }))
            .filter(grant => toUnusedReason(given.name, grant) === undefined)
            .map(({ functionName, ...of }) => `${functionName}: ${textOf(of)}`),
        );
        expect(strange).toEqual([]);
      });

      it('grant nothing that no call needs, unless they list it with a reason', () => {
        const made = new Set(calls.map(call => `${call.caller} ${textOf(call)}`));
        const unused = [...run.statements].flatMap(([functionName, statements]) =>
          statements
            .filter(({ Effect }) => Effect === 'Allow')
            .flatMap(({ Action, Resource = [] }) =>
              toList(Action).flatMap(action =>
                toList(Resource).map((resource): Grant => ({ functionName, action, resource })),
              ),
            )
            .filter(({ action, resource }) => !made.has(`${functionName} ${textOf({ action, resource })}`)),
        );
        const used = new Set(unused.map(grant => toUnusedReason(given.name, grant)));
        expect(reasonsFor([...run.statements.keys()]).filter(reason => !used.has(reason))).toEqual([]);
        const unlisted = unused.filter(grant => toUnusedReason(given.name, grant) === undefined);
        expect(unlisted.map(({ functionName, ...of }) => `${functionName}: ${textOf(of)}`)).toEqual([]);
      });

      it('refuse a use of a key by another service', () => {
        const context = { 'kms:ViaService': 's3.us-east-1.amazonaws.com' };
        const direct = calls.filter(({ action }) => action.startsWith('kms:')).map(call => ({ ...call, context }));
        expect(direct.length > 0).toBe(JSON.stringify(given).includes(':kms:'));
        const roles = Object.fromEntries([...run.statements].map(([name, Statement]) => [name, [{ Statement }]]));
        expect(evaluate({ roles, calls: direct }).flat()).toEqual([]);
      });
    });
  },
});
