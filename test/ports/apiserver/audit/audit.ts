// The audit events of API servers. A real kube-apiserver and the embedded server send the same events.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawAnswer, RawOptions } from '../../../support/raw-http.ts';
import { freshName } from '../../answers.ts';
import { type Api, aWidget, core, created, createWidget, done, widgets } from '../api-case.ts';
import { finalizer, group } from '../fixtures.ts';
import { type ApiServerSubject, prepare } from '../subject.ts';
import { openReceiver, type ReceivedAuditEvent, type Receiver } from './receiver.ts';

export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'None', verbs: ['get', 'list'], resources: [{ group, resources: ['widgets'] }] },
    { level: 'RequestResponse', resources: [{ group }], omitManagedFields: true },
    { level: 'Request', resources: [{ group: '', resources: ['configmaps'] }] },
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }], omitStages: ['ResponseStarted'] },
  ],
};

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

interface World {
  readonly api: Api;
  readonly receiver: Receiver;
  /** Returns the audit event of the request with this answer. */
  reported(answer: RawAnswer, stage?: string): Promise<ReceivedAuditEvent>;
  /** Returns the reference to a widget of the suite's namespace in an audit event. */
  refTo(widget: string): Readonly<Record<string, string>>;
}

type AuditCase = readonly [says: string, run: (world: World) => Promise<void>];

const cases: readonly AuditCase[] = [
  [
    'receives the user, the request and the response of a create',
    async ({ api, reported, refTo }) => {
      const answer = await api.http.post(`${widgets(api)}?fieldManager=bench`, aWidget());
      const widget = created(answer);
      const event = await reported(answer);
      expect(event).toEqual({
        level: 'RequestResponse',
        auditID: answer.headers['audit-id'],
        stage: 'ResponseComplete',
        requestURI: `${widgets(api)}?fieldManager=bench`,
        verb: 'create',
        user: expect.objectContaining({ username: 'admin', groups: expect.arrayContaining(['system:masters']) }),
        sourceIPs: ['127.0.0.1'],
        ...('userAgent' in event ? { userAgent: expect.any(String) } : {}),
        objectRef: refTo(widget.metadata.name),
        responseStatus: { metadata: {}, code: 201 },
        requestObject: expect.objectContaining({ kind: 'Widget', spec: { mode: 'Plain', replicas: 1, size: 1 } }),
        responseObject: { ...widget, metadata: withoutManagedFields(widget.metadata) },
        requestReceivedTimestamp: expect.stringMatching(microTime),
        stageTimestamp: expect.stringMatching(microTime),
        annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
      });
    },
  ],

  [
    'receives a generated name only in the response',
    async ({ api, reported, refTo }) => {
      const { metadata: _, ...body } = aWidget();
      const answer = await api.http.post(widgets(api), { ...body, metadata: { generateName: 'made-' } });
      const event = await reported(answer);
      expect(event.objectRef).toEqual({ ...refTo(''), name: undefined });
      expect(event.responseObject).toMatchObject({ metadata: { name: created(answer).metadata.name } });
    },
  ],

  [
    'receives object and version of a PUT',
    async ({ api, reported, refTo }) => {
      const widget = await createWidget(api);
      const { name, uid, resourceVersion } = widget.metadata;
      const answer = await api.http.put(widgets(api, name), { ...widget, spec: { size: 2 } });
      const changed = done(answer);
      expect(await reported(answer)).toMatchObject({
        verb: 'update',
        objectRef: { ...refTo(name), uid, resourceVersion },
        requestObject: { spec: { size: 2 } },
        responseObject: { metadata: { resourceVersion: changed.metadata.resourceVersion, generation: 2 } },
      });
    },
  ],

  [
    'receives the patch itself, also of a subresource, and dry runs in the URL',
    async ({ api, reported, refTo }) => {
      const { metadata } = await createWidget(api);
      const path = `${widgets(api, metadata.name)}/status`;
      const patch = { status: { phase: 'Ready' } };
      const answer = await api.http.patch(path, patch, { query: { dryRun: 'All' } });
      const event = await reported(answer);
      expect(event).toMatchObject({
        verb: 'patch',
        requestURI: `${path}?dryRun=All`,
        objectRef: { ...refTo(metadata.name), subresource: 'status' },
        requestObject: patch,
        responseObject: { status: { phase: 'Ready' } },
      });
      expect(event.objectRef).not.toHaveProperty('uid');
    },
  ],

  [
    'receives the start of a deletion, and the patch that ends it',
    async ({ api, reported, refTo }) => {
      const { metadata } = await createWidget(api, { metadata: { finalizers: [finalizer] } });
      const path = widgets(api, metadata.name);
      const deleted = await reported(await api.http.delete(path, { propagationPolicy: 'Background' }));
      expect(deleted).toMatchObject({
        verb: 'delete',
        objectRef: refTo(metadata.name),
        responseStatus: { metadata: {}, code: 200 },
        requestObject: { kind: 'DeleteOptions', propagationPolicy: 'Background' },
        responseObject: { metadata: { deletionTimestamp: expect.any(String), finalizers: [finalizer] } },
      });
      const released = await reported(await api.http.patch(path, { metadata: { finalizers: null } }));
      expect(released.responseObject).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
      expect(released.responseObject).not.toHaveProperty('metadata.finalizers');
    },
  ],

  [
    'receives the uid of an object that is deleted immediately',
    async ({ api, reported }) => {
      const { metadata } = await createWidget(api);
      const event = await reported(await api.http.delete(widgets(api, metadata.name)));
      const status = {
        metadata: {},
        status: 'Success',
        details: { name: metadata.name, group, kind: 'widgets', uid: metadata.uid },
      };
      expect(event).toMatchObject({
        responseStatus: { ...status, code: 200 },
        responseObject: { kind: 'Status', apiVersion: 'v1', ...status },
      });
      expect(event).not.toHaveProperty('requestObject');
    },
  ],

  [
    'receives one event for a deletion of a collection',
    async ({ api, reported }) => {
      const set = freshName('set');
      const { metadata } = await createWidget(api, { metadata: { labels: { set } } });
      const event = await reported(
        await api.http.delete(widgets(api), undefined, { query: { labelSelector: `set=${set}` } }),
      );
      expect(event).toMatchObject({
        verb: 'deletecollection',
        responseObject: { kind: 'WidgetList', items: [{ metadata: { uid: metadata.uid } }] },
      });
      expect(event.objectRef).not.toHaveProperty('name');
    },
  ],

  [
    'receives rejected requests',
    async ({ api, reported, refTo }) => {
      const body = aWidget({ spec: { mode: 'Odd' } });
      const status = {
        status: 'Failure',
        reason: 'Invalid',
        details: { name: body.metadata['name'], group, kind: 'Widget' },
      };
      expect(await reported(await api.http.post(widgets(api), body))).toMatchObject({
        verb: 'create',
        objectRef: refTo(String(body.metadata['name'])),
        responseStatus: { ...status, code: 422 },
        requestObject: { spec: { mode: 'Odd' } },
        responseObject: { kind: 'Status', ...status },
      });
      expect(await reported(await api.http.delete(widgets(api, 'missing')))).toMatchObject({
        responseStatus: { reason: 'NotFound', code: 404 },
      });
      expect(await reported(await (api.unprivileged ?? api.http).delete(widgets(api, 'missing')))).toMatchObject({
        user: { username: 'unprivileged' },
        responseStatus: { reason: 'Forbidden', code: 403 },
        annotations: { 'authorization.k8s.io/decision': 'forbid' },
      });
    },
  ],

  [
    'receives the table that a client requested',
    async ({ api, reported }) => {
      const { metadata } = await createWidget(api);
      const options: RawOptions = { accept: table };
      const answer = await api.http.patch(widgets(api, metadata.name), { spec: { size: 7 } }, options);
      expect((await reported(answer)).responseObject).toMatchObject({ kind: 'Table', rows: [{}] });
    },
  ],

  [
    'receives no more than the level of the rule',
    async ({ api, reported }) => {
      const parts = { metadata: { name: freshName() }, data: { a: 'Yg==' } };
      const secret = await reported(
        await api.http.post(core(api, 'secrets'), { apiVersion: 'v1', kind: 'Secret', ...parts }),
      );
      expect(secret).toMatchObject({
        level: 'Metadata',
        objectRef: { resource: 'secrets', namespace: api.namespace, name: parts.metadata.name, apiVersion: 'v1' },
        responseStatus: { metadata: {}, code: 201 },
      });
      expect([secret.requestObject, secret.responseObject]).toEqual([undefined, undefined]);
      const map = await reported(
        await api.http.post(core(api, 'configmaps'), { apiVersion: 'v1', kind: 'ConfigMap', ...parts }),
      );
      expect(map).toMatchObject({ level: 'Request', requestObject: { data: parts.data } });
      expect(map.responseObject).toBeUndefined();
    },
  ],

  [
    'does not receive requests that the policy omits',
    async ({ api, receiver, reported }) => {
      const { metadata } = await createWidget(api);
      const read = await api.http.get(widgets(api, metadata.name));
      const namespace = await api.http.get(`/api/v1/namespaces/${api.namespace}`);
      await reported(await api.http.delete(widgets(api, metadata.name)));
      const ids = [read, namespace].map(({ headers }) => headers['audit-id']);
      expect(receiver.events().filter(({ auditID }) => ids.includes(auditID))).toEqual([]);
      expect(receiver.events().filter(({ stage }) => stage === 'RequestReceived')).toEqual([]);
    },
  ],

  [
    'receives an event again after rejecting it, as after an outage',
    async ({ api, receiver, reported }) => {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: freshName() } };
      const wasRefused = receiver.refuseOnce(({ objectRef }) => objectRef?.['name'] === map.metadata.name);
      expect(await reported(await api.http.post(core(api, 'configmaps'), map))).toMatchObject({ verb: 'create' });
      expect(wasRefused()).toBe(true);
    },
  ],

  [
    'receives the start and the end of a watch',
    async ({ api, reported }) => {
      const query = { watch: 'true', timeoutSeconds: 1, resourceVersion: 0, labelSelector: `set=${freshName('set')}` };
      const answer = await api.http.get(widgets(api), { query });
      expect(await reported(answer, 'ResponseStarted')).toMatchObject({ verb: 'watch', responseStatus: { code: 200 } });
      expect(await reported(answer)).toMatchObject({ verb: 'watch', responseStatus: { code: 200 } });
    },
  ],

  [
    'receives the deletions of the garbage collector',
    async ({ api, receiver, refTo }) => {
      const owner = await createWidget(api);
      const { uid, name } = owner.metadata;
      const ownerReferences = [{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid }];
      const dependent = await createWidget(api, { metadata: { ownerReferences } });
      await api.http.delete(widgets(api, name));
      const event = await receiver.event(
        ({ verb, objectRef, stage }) =>
          verb === 'delete' && objectRef?.['name'] === dependent.metadata.name && stage === 'ResponseComplete',
      );
      expect(event).toMatchObject({
        user: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' },
        objectRef: refTo(dependent.metadata.name),
        responseStatus: { status: 'Success', details: { uid: dependent.metadata.uid }, code: 200 },
      });
    },
  ],
];

/** Declares the suite for one server. It opens the server with a webhook and closes it at the end. */
export function auditConformance(name: string, open: (receiver: Receiver) => Promise<ApiServerSubject>): void {
  describe(`audit webhook: ${name}`, { concurrent: true }, () => {
    let receiver: Receiver;
    let subject: ApiServerSubject;
    let api: Api;

    beforeAll(async () => {
      receiver = await openReceiver();
      subject = await open(receiver);
      api = await prepare(subject);
    });

    afterAll(async () => {
      await subject?.close();
      receiver?.close();
    });

    for (const [says, run] of cases) {
      it(says, () => run(toWorld(api, receiver)));
    }
  });
}

function toWorld(api: Api, receiver: Receiver): World {
  return {
    api,
    receiver,
    reported: (answer, stage = 'ResponseComplete') =>
      receiver.event(event => event.auditID === answer.headers['audit-id'] && event.stage === stage),
    refTo: widget => ({
      resource: 'widgets',
      namespace: api.namespace,
      name: widget,
      apiGroup: group,
      apiVersion: 'v1',
    }),
  };
}

function withoutManagedFields(metadata: object): object {
  return Object.fromEntries(Object.entries(metadata).filter(([member]) => member !== 'managedFields'));
}
