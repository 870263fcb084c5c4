/** A read without which a review has no answer. The message contains the reason of the API server and no content. */
export class ReviewReadError extends Error {
  override readonly name = 'ReviewReadError';
}
