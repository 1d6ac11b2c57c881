#include "page_template.h"

// The assembler copies the file as it is: a string literal of its size takes seconds to compile.
#ifdef ASSAY_PAGE_FILE
__asm__(
    ".pushsection .rodata\n"
    ".hidden assay_page_begin\n"
    ".hidden assay_page_end\n"
    ".global assay_page_begin\n"
    ".global assay_page_end\n"
    "assay_page_begin:\n"
    ".incbin \"" ASSAY_PAGE_FILE
    "\"\n"
    "assay_page_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char assay_page_begin[];
extern "C" const char assay_page_end[];
#endif

namespace assay {

std::string_view page_template() {
#ifdef ASSAY_PAGE_FILE
  return {assay_page_begin, assay_page_end};
#else
  return {};
#endif
}

}  // namespace assay
