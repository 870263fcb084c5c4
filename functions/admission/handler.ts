// The Lambda function that defaults and validates Cluster API objects before an API server stores them.
import { createAdmissionHandler } from './admission-handler.ts';

export const handler = createAdmissionHandler('admission');
