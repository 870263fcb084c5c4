// Answers the ConversionReviews of an API server.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response
import { allInOrder, type Checked, groupOf, invalid, versionOf } from '@capi-serverless/apimachinery';
import type { ApiVersionOf } from './conversion.ts';
import { type ConvertedObject, convert } from './convert.ts';
import type { ConversionRequest } from './review-request.ts';

const apiVersion = 'apiextensions.k8s.io/v1';
const kind = 'ConversionReview';

interface ConversionResponse {
  readonly uid: string;
  readonly result: { readonly status: 'Success' } | { readonly status: 'Failure'; readonly message: string };
  readonly convertedObjects?: readonly ConvertedObject[];
}

interface ConversionReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: ConversionResponse;
}

/** Converts all objects in order. One object that cannot be converted fails the whole review. */
export function answerConversionReview(request: ConversionRequest, apiVersionOf: ApiVersionOf): ConversionReview {
  const converted = allInOrder(request.objects.map(object => convertOne(object, request, apiVersionOf)));
  return converted.ok
    ? toReview({ uid: request.uid, result: { status: 'Success' }, convertedObjects: converted.value })
    : refuseConversion(request, converted.error);
}

/** The answer without objects. `message` is the text that the client gets. */
export function refuseConversion({ uid }: Pick<ConversionRequest, 'uid'>, message: string): ConversionReview {
  return toReview({ uid, result: { status: 'Failure', message } });
}

function toReview(response: ConversionResponse): ConversionReview {
  return { apiVersion, kind, response };
}

function convertOne(
  object: ConvertedObject,
  { desiredAPIVersion }: ConversionRequest,
  apiVersionOf: ApiVersionOf,
): Checked<ConvertedObject> {
  if (object.apiVersion === desiredAPIVersion) {
    return invalid(`conversion is not allowed between same type ${desiredAPIVersion} ${object.kind}`);
  }
  return groupOf(object.apiVersion) === groupOf(desiredAPIVersion)
    ? convert(object, versionOf(desiredAPIVersion), apiVersionOf)
    : invalid(`${object.kind} of ${object.apiVersion} cannot be converted to ${desiredAPIVersion}`);
}
