#include "projections/finance/booking.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Booking>;
template struct RowCodec<BookedFarm>;
template struct RowCodec<BookedField>;
template struct RowCodec<BookedCrop>;

}  // namespace tilth
