/** The error of a conversion. Its message is the text for the user. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}
