'use strict';

export default function render({ data }) {
  const here = new URL(location.href);
  if (!data?.fill || here.searchParams.has('lang')) return;
  const embed = [...here.searchParams].filter(([key]) => key.startsWith('embed'));
  here.search = new URLSearchParams([...embed, ...Object.entries(data.fill)]);
  history.replaceState(history.state, '', here);
}
