// Whether a style sheet is loaded.

/**
 * One that could not be loaded is in the document too, and does not let its rules be read.
 * @param {CSSStyleSheet | null | undefined} sheet
 */
export function hasRules(sheet) {
  try {
    return Boolean(sheet?.cssRules.length);
  } catch {
    return false;
  }
}
