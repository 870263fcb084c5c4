// Kinds without objects, and the review of the own user.
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../../../../packages/apiserver/server.ts';
import { createRawHttp, type RawHttp } from '../../../../support/raw-http.ts';

let server: ApiServer;
let http: RawHttp;
let visitor: RawHttp;

beforeAll(async () => {
  server = await startApiServer({ users: [{ name: 'visitor', groups: ['visitors'] }] });
  const { url, caPem } = server;
  http = createRawHttp({ url, caPem, token: server.token });
  visitor = createRawHttp({ url, caPem, token: server.tokenOf('visitor') });
});

afterAll(() => server.stop());

describe('the kinds that a server for management objects has none of', () => {
  it.each(['nodes', 'pods', 'services', 'serviceaccounts', 'resourcequotas', 'limitranges'])(
    '%s are listed, and there are none',
    async plural => {
      const list = await http.get(`/api/v1/${plural}`);
      expect(list).toMatchObject({ status: 200, body: { items: [] } });
    },
  );

  it('are offered for reading only', async () => {
    const { body } = await http.get('/api/v1');
    expect(body).toMatchObject({
      resources: expect.arrayContaining([
        expect.objectContaining({ name: 'pods', verbs: ['get', 'list', 'watch'], categories: ['all'] }),
        expect.objectContaining({ name: 'nodes', verbs: ['get', 'list', 'watch'], namespaced: false }),
      ]),
    });
    const path = '/api/v1/namespaces/default/pods';
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }] } };
    expect(await http.post(path, pod)).toMatchObject({ status: 405, body: { reason: 'MethodNotAllowed' } });
    expect(await http.get(`${path}/p`)).toMatchObject({ status: 404, body: { message: 'pods "p" not found' } });
  });

  it('are those of a workload cluster if these are chosen', async () => {
    const workload = await startApiServer({ kinds: workloadKinds });
    const { url, caPem, token } = workload;
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    expect(await createRawHttp({ url, caPem, token }).post('/api/v1/nodes', node)).toMatchObject({ status: 201 });
    await workload.stop();
  });
});

it('tells users who they are', async () => {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await visitor.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
  expect(answer).toMatchObject({ status: 201 });
  expect(answer.body).toEqual({
    ...review,
    metadata: { creationTimestamp: null },
    status: { userInfo: { username: 'visitor', groups: ['visitors', 'system:authenticated'] } },
  });
});
