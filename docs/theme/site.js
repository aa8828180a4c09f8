// Narrow screens begin with the text, not with the list of pages; and what scrolls sideways can be scrolled by keys.
(function () {
  "use strict";
  var narrow = window.matchMedia("(max-width: 56rem)");
  function list() {
    document.querySelector(".ways").open = !narrow.matches;
  }
  function scrollers() {
    document.querySelectorAll("main pre, main .codehilite, main table").forEach(function (box) {
      if (box.scrollWidth > box.clientWidth + 1) {
        box.tabIndex = 0;
      } else {
        box.removeAttribute("tabindex");
      }
    });
  }
  list();
  scrollers();
  narrow.addEventListener("change", list);
  window.addEventListener("resize", scrollers);
  document.addEventListener("toggle", scrollers, true); // what was folded has a width now
})();
