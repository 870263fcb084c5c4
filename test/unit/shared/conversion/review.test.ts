import { invalid, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { apiVersionByLabels } from '../../../../shared/conversion/api-version-of.ts';
import { answerConversionReview } from '../../../../shared/conversion/review.ts';
import { parseConversionReview } from '../../../../shared/conversion/review-request.ts';

const machine = (
  version: string,
  infrastructure: string,
): Readonly<Record<string, unknown>> & { apiVersion: string; kind: string } => ({
  apiVersion: `cluster.x-k8s.io/${version}`,
  kind: 'Machine',
  metadata: { name: 'm', namespace: 'ns' },
  spec: {
    clusterName: 'c1',
    bootstrap: { dataSecretName: 's' },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: infrastructure, name: 'i1' },
  },
});

const review = (desiredAPIVersion: string, ...objects: readonly unknown[]) => {
  const parsed = parseConversionReview({ request: { uid: '705a', desiredAPIVersion, objects }, response: {} });
  if (!parsed.ok) {
    throw new Error(parsed.error);
  }
  return parsed.value;
};

const definitions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dockermachines.infrastructure.cluster.x-k8s.io': { 'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2' },
  'unlabelleds.infrastructure.cluster.x-k8s.io': {},
};
const apiVersionOf = apiVersionByLabels(name => {
  const labels = definitions[name];
  return labels === undefined
    ? invalid(`customresourcedefinitions.apiextensions.k8s.io "${name}" not found`)
    : valid({ labels });
});

describe('a ConversionReview', () => {
  it('is answered with the converted objects in order', () => {
    const request = review('cluster.x-k8s.io/v1beta1', machine('v1beta2', 'DockerMachine'));
    const { response, ...head } = answerConversionReview(request, apiVersionOf);
    expect(head).toEqual({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' });
    expect(response).toMatchObject({ uid: '705a', result: { status: 'Success' } });
    expect(response.convertedObjects?.[0]).toMatchObject({
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      metadata: { name: 'm', namespace: 'ns' },
      spec: { infrastructureRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', namespace: 'ns' } },
    });
  });

  it.each([
    {
      reason: 'the definition of a provider is missing',
      objects: [machine('v1beta2', 'DockerMachine'), machine('v1beta2', 'Gone')],
      message:
        'failed to convert object: failed to get apiVersion for kind Gone: failed to get CustomResourceDefinition metadata: customresourcedefinitions.apiextensions.k8s.io "gones.infrastructure.cluster.x-k8s.io" not found',
    },
    {
      reason: 'the definition of a provider has no label',
      objects: [machine('v1beta2', 'Unlabelled')],
      message:
        'failed to convert object: failed to get apiVersion for kind Unlabelled: cannot find any versions matching contract versions ["v1beta2" "v1beta1"] for CRD unlabelleds.infrastructure.cluster.x-k8s.io as contract version label(s) are either missing or empty (see https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview.html#api-version-labels)',
    },
    {
      reason: 'the object has the version already',
      objects: [machine('v1beta1', 'DockerMachine')],
      message: 'conversion is not allowed between same type cluster.x-k8s.io/v1beta1 Machine',
    },
    {
      reason: 'the group is another',
      objects: [{ apiVersion: 'example.com/v1', kind: 'Machine' }],
      message: 'Machine of example.com/v1 cannot be converted to cluster.x-k8s.io/v1beta1',
    },
  ])('fails as a whole if $reason', ({ objects, message }) => {
    const { response } = answerConversionReview(review('cluster.x-k8s.io/v1beta1', ...objects), apiVersionOf);
    expect(response).toEqual({ uid: '705a', result: { status: 'Failure', message } });
  });

  it.each([undefined, null, 'x', {}, { request: { uid: 'a' } }])('is refused if it is no review: %j', body => {
    expect(parseConversionReview(body)).toEqual(invalid('the body is not a ConversionReview with a request'));
  });
});

describe('the version of a reference', () => {
  it('needs a definition with labels', () => {
    expect(apiVersionByLabels(() => valid({}))('g.example.com', 'K').ok).toBe(false);
  });
});
