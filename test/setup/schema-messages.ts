// Runs before each unit test file. The larger schema library sets the texts of problems for the whole process when it is
// first used. Functions use the smaller library alone, so a file begins without these texts.
import { config } from 'zod/mini';

config({ localeError: undefined });
