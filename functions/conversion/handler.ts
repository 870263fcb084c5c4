// The Lambda function that converts Cluster API objects between versions for an API server.
import { createConversionHandler } from './conversion-handler.ts';

export const handler = createConversionHandler('conversion');
