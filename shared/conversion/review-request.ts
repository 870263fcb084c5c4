// Reads the ConversionReviews of an API server. It loads no conversion, so that other bodies are refused without work.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

/** The path of upstream's webhook. */
export const conversionPath = '/convert';

/** Longer than any uid, group and version of an API server. */
const longestName = 317;
const name = z.string().check(z.maxLength(longestName));

const reviewSchema = z.object({
  request: z.object({
    uid: name,
    desiredAPIVersion: name,
    objects: z.array(z.looseObject({ apiVersion: name, kind: name })),
  }),
});

export type ConversionRequest = z.infer<typeof reviewSchema>['request'];

/** Reads the request of a review. The error never quotes the body. */
export function parseConversionReview(body: unknown): Checked<ConversionRequest> {
  const parsed = reviewSchema.safeParse(body);
  return parsed.success ? valid(parsed.data.request) : invalid('the body is not a ConversionReview with a request');
}
