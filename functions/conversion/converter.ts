// Answers reviews by converting their objects. It is loaded with the first review, because requests without one are refused.
import type { Clock, Reads } from '@capi-serverless/apimachinery';
import { answerConversionReview, refuseConversion } from '../../shared/conversion/review.ts';
import type { ConversionRequest } from '../../shared/conversion/review-request.ts';
import { ReviewReadError } from '../../shared/lambda/review-read-error.ts';
import { ReferenceVersions } from './reference-versions.ts';

/** `connect` is called if CRDs must be read. If they cannot be read, the answer says why. */
export type Convert = (
  review: ConversionRequest,
  connect: () => Promise<Pick<Reads, 'metadata'>>,
) => Promise<ReturnType<typeof answerConversionReview>>;

export function createConverter(clock: Clock): Convert {
  const versions = new ReferenceVersions(clock);
  return async (review, connect) => {
    try {
      return await versions.resolve(connect, apiVersionOf => answerConversionReview(review, apiVersionOf));
    } catch (thrown) {
      if (thrown instanceof ReviewReadError) {
        return refuseConversion(review, `failed to convert object: ${thrown.message}`);
      }
      throw thrown;
    }
  };
}
