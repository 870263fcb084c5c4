// Runs before each unit test file. The complete schema library sets the message texts for the whole process on first
// use. Functions use only the smaller library, so each test file starts without these texts.
import { config } from 'zod/mini';

config({ localeError: undefined });
