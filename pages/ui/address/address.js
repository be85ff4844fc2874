'use strict';

export default function render({ data }) {
  const here = new URL(location.href);
  if (!data?.fill || ['lang', 'example'].every((key) => here.searchParams.has(key))) return;
  const embed = [...here.searchParams].filter(([key]) => key.startsWith('embed'));
  here.search = new URLSearchParams([...embed, ...Object.entries(data.fill)]);
  history.replaceState(history.state, '', here);
}
