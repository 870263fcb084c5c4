// The rules of writes, compared with the webhooks of upstream's manager on generated objects. CAPI_REVIEWS sets their
// number for each kind, and CAPI_SEED selects others.
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { type AdmissionRequest, type ObjectDraft, StatusError, type Stored } from '@capi-serverless/apiserver/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmission, localAdmissionGates } from '../../local/admission.ts';
import type { ChildProgram } from '../support/child-program.ts';
import { define, untilDiscovered } from '../support/definitions.ts';
import { describePart } from '../support/describe-part.ts';
import { isInOwnNetwork } from '../support/own-network.ts';
import { fc, seed } from '../support/property.ts';
import { createRawHttp, type RawHttp } from '../support/raw-http.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { makeSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { connectWorldClient } from '../support/world-client.ts';
import { findUpstream, startManager, webhookPort } from '../upstream-manager/manager.ts';
import { type GeneratedWrite, generatedKinds, writesOf } from './generated-objects.ts';
import { comparable, type Verdict } from './verdict.ts';
import { watchFilter } from './watch-filter.ts';
import { pathsOf, upstreamVerdict } from './webhook-reviews.ts';

const reviews = Number(process.env['CAPI_REVIEWS'] ?? '200');

const found = isInOwnNetwork
  ? findUpstream()
  : {
      missing:
        'no network namespace (unshare, ip) is available here, or it was not started by "npm run test:take-over"',
    };

/** Each IPAddress with this claim must name its pool. */
const claim = {
  apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
  kind: 'IPAddressClaim',
  metadata: { namespace: 'default', name: 'claim' },
  spec: { poolRef: { apiGroup: 'ipam.io', kind: 'Pool', name: 'p' } },
} as const;

const prefix = /^admission webhook "[^"]*" denied the request: /;

interface NamedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
}

/** Judges as the embedded API server does. */
function ownVerdict(resource: NamedKind, { object, old }: GeneratedWrite, taintPropagation: boolean): Verdict {
  const { mutate, admit } = createAdmission({ ...localAdmissionGates, taintPropagation });
  const reads = { list: () => [claim as unknown as Unstructured], warn: () => undefined };
  const requestOf = (written: ObjectDraft): AdmissionRequest => ({
    ...{ resource, name: String(written.metadata.name), dryRun: false, object: written },
    ...(old === undefined ? { operation: 'CREATE' } : { operation: 'UPDATE', old: old as unknown as Stored }),
  });
  try {
    const written = object as unknown as ObjectDraft;
    const defaulted = mutate(requestOf(written)) ?? written;
    admit(requestOf(defaulted), reads);
    return { object: defaulted };
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) {
      throw thrown;
    }
    const { code, message = '', details } = thrown.status;
    const causes = (details?.causes ?? []).map(({ reason = '', field = '', message: text = '' }) => ({
      ...{ reason, field, message: text },
    }));
    return { code, message: message.replace(prefix, ''), causes };
  }
}

describePart("upstream's webhooks and the rules here", found, {
  part: 'the upstream manager in its own network',
  declare: upstream => {
    const certificate = makeSelfSignedCertificate('capi-serverless webhooks');
    let plane: RealControlPlane;

    beforeAll(async () => {
      plane = await startControlPlane();
      const client = await connectWorldClient(plane.kubeconfigPath('admin'));
      await define(client, upstream.crds);
      await untilDiscovered(plane, upstream.crds);
      await client.create(claim);
    });

    afterAll(() => plane?.stop());

    describe.each([false, true])('with MachineTaintPropagation=%s', taintPropagation => {
      let manager: ChildProgram;
      let http: RawHttp;

      beforeAll(async () => {
        manager = await startManager({
          program: upstream.program,
          kubeconfigPath: plane.kubeconfigPath('admin'),
          certificate,
          flags: [`--feature-gates=MachineTaintPropagation=${taintPropagation}`, watchFilter],
          isReady: line => line.includes('Serving webhook server'),
        });
        const url = `https://127.0.0.1:${webhookPort}`;
        http = createRawHttp({ url, caPem: certificate.certificatePem, token: '' });
      });

      afterAll(() => manager?.stop());

      it.each(generatedKinds)('give the same verdict, defaults and causes for a %s', async kind => {
        const resource = resourceOf(kind, upstream.crds);
        const paths = pathsOf(resource, upstream.webhooks);
        const apiVersion = `${resource.group}/v1beta2`;
        const verdicts = { allowed: 0, refused: 0 };
        const same = fc.asyncProperty(writesOf({ apiVersion, kind }), async write => {
          const theirs = await upstreamVerdict(http, paths, write);
          verdicts['object' in theirs ? 'allowed' : 'refused'] += 1;
          expect(comparable(ownVerdict(resource, write, taintPropagation))).toEqual(comparable(theirs));
        });
        await fc.assert(same, { numRuns: reviews });
        console.log(`${kind}: ${reviews} reviews, ${verdicts.refused} refused (CAPI_SEED=${seed})`);
        expect(verdicts.allowed).toBeGreaterThan(0);
        expect(verdicts.refused).toBeGreaterThan(0);
      });
    });
  },
});

function resourceOf(kind: string, crds: readonly Intent[]): NamedKind {
  for (const crd of crds) {
    const { group, names } = Object(crd['spec']);
    if (names.kind === kind) {
      return { group, kind, plural: names.plural };
    }
  }
  throw new Error(`Upstream has no definition of ${kind}`);
}
